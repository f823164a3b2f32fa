-- Why an intent, a breaker, a cluster or a child's launch is as it is: a cause, as jobs and nodes have it since schema 3. Nothing
-- was steered by these sentences: but for the few that need no parameters they are kept as words that were told.
CREATE TEMP TABLE said (text TEXT PRIMARY KEY, cause TEXT);
INSERT OR IGNORE INTO said (text) SELECT body ->> '$.intent.message' FROM entry WHERE kind = 'intent';
INSERT OR IGNORE INTO said (text) SELECT body ->> '$.breaker.reason' FROM entry WHERE kind = 'breaker';
INSERT OR IGNORE INTO said (text) SELECT body ->> '$.message' FROM entry WHERE kind = 'delegated';
INSERT OR IGNORE INTO said (text) SELECT body ->> '$.reason' FROM entry WHERE kind = 'cluster';
INSERT OR IGNORE INTO said (text) SELECT body ->> '$.failure' FROM entry WHERE kind = 'cluster';
INSERT OR IGNORE INTO said (text) SELECT body ->> '$.approval.why' FROM entry
  WHERE kind = 'cluster' AND body ->> '$.approval.why' IS NOT NULL;
UPDATE said SET cause = CASE
  WHEN text = '' THEN json_object('code', 'NONE', 'version', 2)
  WHEN text = 'the answer was lost, and nothing more appeared' THEN json_object('code', 'ANSWER_LOST', 'version', 2)
  WHEN text = 'its time is over' THEN json_object('code', 'TIME_OVER', 'version', 2)
  WHEN text = 'its budget is spent' THEN json_object('code', 'BUDGET_SPENT', 'version', 2)
  ELSE json_object('code', 'TOLD', 'version', 2, 'parameters', json_object('text', text)) END;

UPDATE entry SET body = json_set(json_remove(body, '$.intent.message'), '$.cause',
  json((SELECT cause FROM said WHERE text = body ->> '$.intent.message')))
WHERE kind = 'intent';
UPDATE entry SET body = json_set(json_remove(body, '$.breaker.reason'), '$.breaker.seen',
  json((SELECT cause FROM said WHERE text = body ->> '$.breaker.reason')))
WHERE kind = 'breaker';
UPDATE entry SET body = json_set(json_remove(body, '$.message'), '$.cause',
  json((SELECT cause FROM said WHERE text = body ->> '$.message')))
WHERE kind = 'delegated';
UPDATE entry SET body = json_set(json_remove(body, '$.reason'),
  '$.cause', json((SELECT cause FROM said WHERE text = body ->> '$.reason')),
  '$.failure', json((SELECT cause FROM said WHERE text = body ->> '$.failure')))
WHERE kind = 'cluster';
UPDATE entry SET body = json_set(body, '$.approval.why', json((SELECT cause FROM said WHERE text = body ->> '$.approval.why')))
WHERE kind = 'cluster' AND body ->> '$.approval.why' IS NOT NULL;
UPDATE entry SET body_schema = 4 WHERE kind IN ('intent', 'breaker', 'delegated', 'cluster');
DROP TABLE said;
