-- Why an intent, a breaker, a cluster or a child's launch is as it is: a cause, as jobs and nodes have it since schema 3. Nothing
-- was steered by these sentences: they are kept as words that were told.
CREATE TEMP TABLE said (text TEXT PRIMARY KEY, cause TEXT);
INSERT OR IGNORE INTO said (text) SELECT body ->> '$.intent.message' FROM entry WHERE kind = 'intent';
INSERT OR IGNORE INTO said (text) SELECT body ->> '$.breaker.reason' FROM entry WHERE kind = 'breaker';
UPDATE said SET cause = CASE
  WHEN text = '' THEN json_object('code', 'NONE', 'version', 2)
  WHEN text = 'the answer was lost, and nothing more appeared' THEN json_object('code', 'ANSWER_LOST', 'version', 2)
  ELSE json_object('code', 'TOLD', 'version', 2, 'parameters', json_object('text', text)) END;

UPDATE entry SET body = json_set(json_remove(body, '$.intent.message'), '$.cause',
  json((SELECT cause FROM said WHERE text = body ->> '$.intent.message')))
WHERE kind = 'intent';
UPDATE entry SET body = json_set(json_remove(body, '$.breaker.reason'), '$.breaker.seen',
  json((SELECT cause FROM said WHERE text = body ->> '$.breaker.reason')))
WHERE kind = 'breaker';
UPDATE entry SET body_schema = 4 WHERE kind IN ('intent', 'breaker');
DROP TABLE said;
