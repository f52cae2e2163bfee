-- How much space the data takes, measured every six hours.
create table disk_measurements (
  measured_at timestamptz primary key,
  -- of the database
  bytes bigint not null,
  -- bytes and rows by kind
  kinds jsonb not null,
  -- who and what takes most
  largest jsonb not null
);
