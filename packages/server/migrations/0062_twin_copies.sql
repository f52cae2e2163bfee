-- Which twin became which copy in a background job, so that it continues after a restart and the copies refer to each other.
create table twin_copies (
  job_id integer not null references background_jobs (id) on delete cascade,
  source_id integer not null,
  copy_id integer not null references twins (id) on delete cascade,
  primary key (job_id, source_id)
);
create index twin_copies_copy on twin_copies (copy_id);
