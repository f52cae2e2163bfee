-- Rows of an uploaded file in parts, so that reading and writing a long one holds up nobody else.
create table bulk_upload_parts (
  upload_id uuid not null references bulk_uploads (id) on delete cascade,
  part integer not null,
  -- rows of cells
  rows jsonb not null,
  primary key (upload_id, part)
);
insert into bulk_upload_parts (upload_id, part, rows) select id, 0, rows from bulk_uploads;
alter table bulk_uploads drop column rows;
