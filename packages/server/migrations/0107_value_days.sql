-- Values of past days, several in one row: for each state and day of UTC one row, or several that do not overlap. A value is
-- either in `state_values` or here.
create table value_days (
  state_id integer not null,
  -- of the first value; the others are after it, on the same day
  first_time timestamptz not null,
  -- Microseconds between any two values, or how long after the first each is: milliseconds, or microseconds where these matter.
  step bigint,
  offsets integer[],
  micros bigint[],
  -- Numbers: whole numbers to be divided by `factor`, or as they are. A column is null if none of the values is of its kind.
  factor integer,
  smalls smallint[],
  ints integer[],
  nums double precision[],
  txts text[],
  bools boolean[],
  jsons jsonb[],
  primary key (state_id, first_time)
) partition by range (first_time);

-- The values of a row of `value_days`. PostgreSQL puts the body into the query that calls it: only a stable function in SQL,
-- not strict, allows that.
create function values_of_day(
  first_time timestamptz, step bigint, offsets integer[], micros bigint[], factor integer, smalls smallint[], ints integer[],
  nums double precision[], txts text[], bools boolean[], jsons jsonb[]
) returns table ("time" timestamptz, num double precision, txt text, bool boolean, "json" jsonb)
language sql stable parallel safe as $$
  select
    $1 + case when $2 is not null then (u.place - 1) * $2 * interval '1 microsecond'
      when $3 is not null then u.ms * interval '1 millisecond' else u.us * interval '1 microsecond' end,
    coalesce(coalesce(u.small, u.whole) / $5::double precision, u.num), u.txt, u.bool, u.json
  from unnest($3, $4, $6, $7, $8, $9, $10, $11) with ordinality as u (ms, us, small, whole, num, txt, bool, json, place)
$$;

-- Decimal places with which a number can be kept as a whole number and read again bit by bit; 99: it cannot.
create function decimal_places(num double precision) returns integer language sql immutable parallel safe as $$
  select case
    when num is null then 0
    -- Zero has two signs.
    when num = 0 then case when float8send(num) = '\x0000000000000000' then 0 else 99 end
    -- Also false for NaN, which PostgreSQL holds for larger than all others.
    when not abs(num) < 2147483647 then 99
    when round(num) = num then 0
    when round(num * 10) / 10 = num then 1
    when round(num * 100) / 100 = num then 2
    when round(num * 1000) / 1000 = num then 3
    when round(num * 10000) / 10000 = num then 4
    when round(num * 100000) / 100000 = num then 5
    when round(num * 1000000) / 1000000 = num then 6
    else 99 end
$$;
