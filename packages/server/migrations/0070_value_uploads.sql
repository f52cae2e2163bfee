-- Values of an uploaded file, in parts, until a background job has stored them.
create table value_uploads (
  upload_id uuid not null,
  part integer not null,
  created_at timestamptz not null,
  -- [[state id, milliseconds since 1970, value], …]
  content jsonb not null,
  primary key (upload_id, part)
);
create index value_uploads_created on value_uploads (created_at);
