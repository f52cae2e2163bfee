-- Whom a background job is done for, by what they were let in (a key, an application, a person), and what they must be
-- allowed to do while it runs. Jobs from before know the person alone.
alter table background_jobs add column asker jsonb;
