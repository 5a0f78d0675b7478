// The database's clock, in milliseconds.
// access: read
// scope: system
// params: none
// returns: now_ms
RETURN datetime.realtime('Z').epochMillis AS now_ms
