-- A program (script, arguments, environment) is stored once, however many jobs run it: a job names it by its digest.
CREATE TABLE program (
  id INTEGER PRIMARY KEY,
  digest TEXT NOT NULL,             -- of the body: SHA-256, base64url
  body TEXT NOT NULL
);
CREATE UNIQUE INDEX program_digest ON program (digest);
ALTER TABLE entry ADD COLUMN program TEXT; -- of jobs only
CREATE INDEX entry_program ON entry (program) WHERE program IS NOT NULL;

INSERT OR IGNORE INTO program (digest, body)
  SELECT program_digest(body -> '$.spec.program'), body -> '$.spec.program' FROM entry
  WHERE kind = 'job' AND body -> '$.spec.program' IS NOT NULL;
UPDATE entry SET program = program_digest(body -> '$.spec.program') WHERE kind = 'job' AND body -> '$.spec.program' IS NOT NULL;
UPDATE entry SET body = json_remove(body, '$.spec.program'), body_schema = 5 WHERE kind = 'job';
