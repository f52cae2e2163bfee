-- One account that changes some hundred things at once made every node forget what it knew of all accounts, because a notice named
-- at most 200. Now up to 20 000 are named, in notices of 300 (a notice has room for 8 000 characters). The second argument
-- of the trigger is the name of the notice, else that of its table.
create function announce_changed(subject text, ids text[]) returns void language plpgsql as $$
begin
  if cardinality(ids) > 20000 then
    perform pg_notify('config_changed', subject || ':*');
  elsif ids is not null then
    for place in 1 .. cardinality(ids) by 300 loop
      perform pg_notify('config_changed', subject || ':' || array_to_string(ids[place : place + 299], ','));
    end loop;
  end if;
end $$;

create or replace function notify_config_changed() returns trigger language plpgsql as $$
declare
  ids text[];
  column_name text := tg_argv[0];
begin
  if column_name = 'id' then
    select array_agg(distinct id::text) into ids from changed;
  elsif column_name = 'twin_id' then
    select array_agg(distinct twin_id::text) into ids from changed;
  else
    execute format('select array_agg(distinct %1$I::text) from changed', column_name) into ids;
  end if;
  perform announce_changed(coalesce(tg_argv[1], tg_table_name), ids);
  return null;
end $$;

-- Who knows a state knows what is computed from it, and has to read it again when that changes.
create trigger state_links_sources_insert after insert on state_links referencing new table as changed
  for each statement execute function notify_config_changed('source_state_id', 'state_sources');
create trigger state_links_sources_delete after delete on state_links referencing old table as changed
  for each statement execute function notify_config_changed('source_state_id', 'state_sources');
create trigger state_members_sources_insert after insert on state_members referencing new table as changed
  for each statement execute function notify_config_changed('source_state_id', 'state_sources');
create trigger state_members_sources_delete after delete on state_members referencing old table as changed
  for each statement execute function notify_config_changed('source_state_id', 'state_sources');
