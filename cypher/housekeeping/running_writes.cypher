// The writing transactions of the service that are running now.
// access: read
// scope: system
// params: none
// returns: id
SHOW TRANSACTIONS YIELD transactionId, metaData
WHERE metaData.graphsvc = 'write'
RETURN transactionId AS id
