-- Whose an ended job is: one user's listing must not read everybody's bodies.
ALTER TABLE entry ADD COLUMN uid INTEGER; -- of jobs only
UPDATE entry SET uid = json_extract(body, '$.spec.uid') WHERE kind = 'job';
CREATE INDEX entry_ended_job_of ON entry (uid, updated_at) WHERE kind = 'job' AND live = 0;
