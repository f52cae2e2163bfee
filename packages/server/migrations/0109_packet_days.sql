-- Packets of past days, several in one row: for each device and day of UTC one row, or several. A packet is either in `packets`
-- or here.
create table packet_days (
  device_id integer not null,
  -- when the first and the last of them were received
  first_at timestamptz not null,
  last_at timestamptz not null,
  first_id bigint not null,
  count integer not null,
  -- of these, how many could not be decoded
  errors integer not null,
  -- A JSON array of the rows; PostgreSQL compresses it. Columns that hold JSON are texts in it, so that they stay as they are.
  packets text not null,
  primary key (device_id, first_at, first_id)
) partition by range (first_at);

-- The packets of a row of `packet_days`. PostgreSQL puts the body into the query that calls it: only a stable function in SQL,
-- not strict, allows that.
create function packets_of_day(packets text) returns table (
  id bigint, received_at timestamptz, "time" timestamptz, account_id integer, connector_id integer, device_id integer,
  f_port smallint, f_cnt bigint, payload text, encoding text, meta json, variables json, error jsonb, driver_id integer,
  driver_version integer, duration_us integer
) language sql stable parallel safe as $$
  select x.id, x.received_at, x.time, x.account_id, x.connector_id, x.device_id, x.f_port, x.f_cnt, x.payload, x.encoding,
    x.meta::json, x.variables::json, x.error::jsonb, x.driver_id, x.driver_version, x.duration_us
  from json_to_recordset($1::json) as x (id bigint, received_at timestamptz, "time" timestamptz, account_id integer,
    connector_id integer, device_id integer, f_port smallint, f_cnt bigint, payload text, encoding text, meta text,
    variables text, error text, driver_id integer, driver_version integer, duration_us integer)
$$;
