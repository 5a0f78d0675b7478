// A text is one document in a scope: the key is the scope and the hash of the text.
CREATE CONSTRAINT document_key IF NOT EXISTS FOR (d:Document) REQUIRE d.key IS UNIQUE;
