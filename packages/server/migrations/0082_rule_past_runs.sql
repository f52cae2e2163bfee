-- A rule that is run on the past by a background job: the rule, the one that is stored instead of it at that time, and the
-- result, which is deleted with the job.
create table rule_past_runs (
  job_id integer primary key references background_jobs (id) on delete cascade,
  twin_id integer not null references twins (id) on delete cascade,
  rule_id integer references rules (id) on delete set null,
  starts timestamptz not null,
  ends timestamptz not null,
  rule jsonb not null,
  stored jsonb,
  result jsonb
);
create index rule_past_runs_twin on rule_past_runs (twin_id, rule_id, job_id desc);
create index rule_past_runs_rule on rule_past_runs (rule_id);
