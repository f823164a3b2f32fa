-- Whose an ended job is: one user's listing must not read everybody's bodies.
ALTER TABLE entry ADD COLUMN uid INTEGER; -- of jobs only
UPDATE entry SET uid = json_extract(body, '$.spec.uid') WHERE kind = 'job';
CREATE INDEX entry_ended_job_of ON entry (uid, updated_at) WHERE kind = 'job' AND live = 0;

-- A job may have several sites, nodes, inputs and dependencies.
UPDATE entry SET body = json_set(
  json_remove(body, '$.spec.user', '$.spec.uid', '$.spec.gid', '$.spec.site', '$.spec.script', '$.spec.arguments',
    '$.spec.environment', '$.spec.resources', '$.spec.walltime', '$.spec.input', '$.spec.outputs'),
  '$.spec.owner', json_object('user', body ->> '$.spec.user', 'uid', body ->> '$.spec.uid', 'gid', body ->> '$.spec.gid'),
  '$.spec.project', '',
  '$.spec.sites', json_array(body ->> '$.spec.site'),
  '$.spec.program', json_object('script', body ->> '$.spec.script', 'arguments', body -> '$.spec.arguments',
    'environment', body -> '$.spec.environment'),
  '$.spec.need', json_object('perNode', body -> '$.spec.resources', 'nodes', 1, 'walltime', body ->> '$.spec.walltime'),
  '$.spec.requeue', json('true'),
  '$.spec.after', json_array(),
  '$.spec.array', NULL,
  '$.spec.data', json_object(
    'inputs', json(CASE WHEN body ->> '$.spec.input' IS NULL THEN json_array()
      ELSE json_array(json_object('pattern', body ->> '$.spec.input', 'target', '')) END),
    'outputs', json((SELECT json_group_array(json_object('pattern', value ->> '$.path', 'destination', value ->> '$.destination',
      'tree', json('false'), 'strict', json('false'))) FROM json_each(body, '$.spec.outputs'))),
    -- The folder of its first output or its input.
    'folder', (SELECT coalesce(nullif(rtrim(rtrim(file, replace(file, '/', '')), '/'), ''), '/') FROM
      (SELECT coalesce(body ->> '$.spec.outputs[0].destination', body ->> '$.spec.input', '/') AS file))))
WHERE kind = 'job';

-- What was staged was staged file by file and is staged again: no store has an empty name. An attempt that has ended and
-- was not published is made again for the same reason; a job that has ended keeps what is known of its last attempt.
UPDATE entry SET body = json_set(body, '$.run', json_object(
  'attempt', body ->> '$.run.attempt',
  'site', body ->> '$.spec.sites[0]',
  'ranks', json(CASE WHEN body ->> '$.run.node' IS NULL THEN json_array() ELSE json_array(json_object(
    'node', body ->> '$.run.node',
    'end', json(CASE WHEN state = 'RUNNING' OR body ->> '$.run.exitCode' IS NULL THEN NULL ELSE json_object(
      'started', body ->> '$.run.startedAt',
      'ended', coalesce(body ->> '$.run.endedAt', body ->> '$.since'),
      'exitCode', body ->> '$.run.exitCode',
      'message', '',
      'asUser', json(iif(body ->> '$.run.ranAsUser', 'true', 'false')),
      'store', '',
      'results', json(CASE WHEN live THEN json_object('bytes', 0, 'sha256', printf('%064d', 0)) END)) END),
    'lost', json('false'))) END),
  'staged', json(CASE WHEN body ->> '$.run.staged' IS NULL THEN NULL
    ELSE json_object('store', '', 'files', 1, 'bundle', body -> '$.run.staged') END),
  'home', json('false'),
  'published', json(CASE WHEN live OR json_array_length(body, '$.run.results') = 0 THEN NULL ELSE json_object(
    'missing', json((SELECT json_group_array(value ->> '$.path') FROM json_each(body, '$.run.results')
      WHERE value ->> '$.checksum' IS NULL)),
    'files', json_array_length(body, '$.run.published'),
    'bytes', (SELECT coalesce(sum(value ->> '$.checksum.bytes'), 0) FROM json_each(body, '$.run.results'))) END),
  'cancelled', json(iif(body ->> '$.run.cancelled', 'true', 'false'))))
WHERE kind = 'job';

-- What an administrator wants of a node.
UPDATE entry SET body = json_set(body, '$.care', json_object('keep', json('false'), 'parked', json('false')))
WHERE kind = 'node';
UPDATE entry SET body_schema = 2 WHERE kind IN ('job', 'node');
