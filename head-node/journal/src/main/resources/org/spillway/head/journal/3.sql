-- Why a job or a node is as it is: a cause in place of a sentence. Sentences by which schema 2 steered become causes of their
-- own; all others are kept as words that were told.
CREATE TEMP TABLE said (text TEXT PRIMARY KEY, cause TEXT);
INSERT OR IGNORE INTO said (text) SELECT body ->> '$.reason' FROM entry WHERE kind IN ('job', 'node');
INSERT OR IGNORE INTO said (text) SELECT rank.value ->> '$.end.message' FROM entry, json_each(body, '$.run.ranks') AS rank
  WHERE kind = 'job' AND rank.value ->> '$.end.message' IS NOT NULL;
INSERT OR IGNORE INTO said (text) SELECT reason FROM transition;
UPDATE said SET cause = CASE
  WHEN text = '' THEN json_object('code', 'NONE', 'version', 1)
  WHEN text = 'not heard from' THEN json_object('code', 'NOT_HEARD', 'version', 1)
  WHEN text = 'the budget has no room for it any more' THEN json_object('code', 'OVER_BUDGET', 'version', 1)
  WHEN text = 'powered on by hand' THEN json_object('code', 'POWERED_ON', 'version', 1, 'parameters',
    json_object('why', json_object('code', 'BY_HAND', 'version', 1)))
  WHEN text LIKE 'powered on: %' THEN json_object('code', 'POWERED_ON', 'version', 1, 'parameters',
    json_object('why', json_object('code', 'PLANNED', 'version', 1, 'parameters',
      json_object('said', substr(text, length('powered on: ') + 1)))))
  WHEN text LIKE 'its node refused it: %' THEN json_object('code', 'NODE_REFUSED', 'version', 1, 'parameters',
    json_object('said', substr(text, length('its node refused it: ') + 1)))
  WHEN text LIKE 'its input cannot be staged: %' THEN json_object('code', 'UNSTAGEABLE', 'version', 1, 'parameters',
    json_object('said', substr(text, length('its input cannot be staged: ') + 1)))
  WHEN text = 'runs on nodes that are not the head''s' THEN json_object('code', 'RUNS_ELSEWHERE', 'version', 1)
  WHEN text = 'its results were lost with the site''s staging space' THEN json_object('code', 'RESULTS_LOST', 'version', 1)
  ELSE json_object('code', 'TOLD', 'version', 1, 'parameters', json_object('text', text)) END;

UPDATE entry SET body = json_set(json_remove(body, '$.reason'), '$.cause',
  json((SELECT cause FROM said WHERE text = body ->> '$.reason')))
WHERE kind IN ('job', 'node');
UPDATE entry SET body = json_set(body, '$.run.ranks', json((SELECT json_group_array(json(
  CASE WHEN rank.value ->> '$.end.message' IS NULL THEN rank.value
  ELSE json_set(json_remove(rank.value, '$.end.message'), '$.end.cause',
    json((SELECT cause FROM said WHERE text = rank.value ->> '$.end.message'))) END))
  FROM json_each(entry.body, '$.run.ranks') AS rank)))
WHERE kind = 'job';
UPDATE entry SET body_schema = 3 WHERE kind IN ('job', 'node');

ALTER TABLE transition RENAME COLUMN reason TO cause;
UPDATE transition SET cause = (SELECT cause FROM said WHERE text = transition.cause);
DROP TABLE said;
