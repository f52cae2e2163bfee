-- Roll-ups of values by 5 minutes, hour and day of UTC, and the list of what has changed from which they are kept.

-- Appended by the transaction that stores values: which states got values (or lost them) in which 5 minutes, a state
-- as often as it has values. Moved into rollup_pending within seconds, so it stays short.
create table series_changes (
  id bigint generated always as identity primary key,
  -- start of the 5 minutes
  slot timestamptz not null,
  state_ids integer[] not null
);
alter table series_changes alter column state_ids set storage external;

-- Roll-ups that have to be made anew; one is deleted in the transaction that writes the roll-up. Until then readers take
-- the values themselves.
create table rollup_pending (
  -- 0: 5 minutes, 1: hour, 2: day
  level smallint not null check (level between 0 and 2),
  start timestamptz not null,
  state_id integer not null,
  primary key (level, start, state_id)
);
create index rollup_pending_state on rollup_pending (state_id, level, start);

-- Months whose roll-ups are made from the beginning, state after state; readers take the values themselves meanwhile.
create table rollup_rebuilds (
  -- first day
  month date primary key check (extract(day from month) = 1),
  -- states up to this one are done
  after_state_id integer not null default 0
);

-- One row per state and interval with values. Of hours in which that would save less than half of the rows, the
-- 5 minutes are not kept: see `fine` of the hour.
create table state_rollups_5m (
  state_id integer not null,
  start timestamptz not null,
  first_time timestamptz not null,
  last_time timestamptz not null,
  -- of the numbers (true is 1, false is 0); null without one. The sum is also null when a number is too large to add.
  sum double precision,
  min double precision,
  max double precision,
  -- numbers
  count integer not null,
  -- values of every type
  total integer not null,
  primary key (state_id, start)
) partition by range (start);

create table state_rollups_1h (
  state_id integer not null,
  start timestamptz not null,
  first_time timestamptz not null,
  last_time timestamptz not null,
  sum double precision,
  min double precision,
  max double precision,
  count integer not null,
  total integer not null,
  -- whether its 5 minutes are kept
  fine boolean not null,
  primary key (state_id, start)
) partition by range (start);

create table state_rollups_1d (
  state_id integer not null,
  start timestamptz not null,
  first_time timestamptz not null,
  last_time timestamptz not null,
  sum double precision,
  min double precision,
  max double precision,
  count integer not null,
  total integer not null,
  primary key (state_id, start)
) partition by range (start);

-- What there is already.
insert into rollup_rebuilds (month)
select to_date(right(c.relname, 7), 'YYYY_MM') from pg_inherits i join pg_class c on c.oid = i.inhrelid
where i.inhparent = 'state_values'::regclass and c.relname ~ '_\d{4}_\d{2}$';
