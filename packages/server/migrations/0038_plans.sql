-- Statements that are planned once, those of triggers and foreign keys among them, are planned for the tables as the
-- statistics describe them.

-- 0034 took the statistics of a new installation while nothing was in it. A table that is known to be empty is read from
-- its beginning to its end; of one nobody knows anything about, at least ten pages are assumed, and its index is used. So
-- the first devices were made by reading all twins for each of their states. A table that is written anew is unknown again.
do $$
begin
  if not exists (select from twins) then
    alter table twins alter column description type text using description || '';
    alter table virtual_devices alter column operational_status type smallint using operational_status - 0::smallint;
    alter table states alter column unit type text using unit || '';
  end if;
end $$;

-- What nearly all of these triggers ask is planned once a connection.
create or replace function notify_config_changed() returns trigger language plpgsql as $$
declare
  ids text;
  column_name text := tg_argv[0];
begin
  if column_name = 'id' then
    select case when count(distinct id) <= 200 then string_agg(distinct id::text, ',') else '*' end into ids from changed;
  elsif column_name = 'twin_id' then
    select case when count(distinct twin_id) <= 200 then string_agg(distinct twin_id::text, ',') else '*' end into ids
      from changed;
  else
    execute format('select case when count(distinct %1$I) <= 200 then string_agg(distinct %1$I::text, '','') else ''*'' end from changed',
      column_name) into ids;
  end if;
  if ids is not null then
    perform pg_notify('config_changed', tg_table_name || ':' || ids);
  end if;
  return null;
end $$;
