-- Caches of the pipeline (devices, drivers, states, connectors, rules) are dropped by notices that the tables send
-- themselves, so that no writer can forget. Payload: "<table>:<id>,<id>,…" or "<table>:*" for many.

create function notify_config_changed() returns trigger language plpgsql as $$
declare
  ids text;
  column_name text := tg_argv[0];
begin
  execute format('select case when count(distinct %1$I) <= 200 then string_agg(distinct %1$I::text, '','') else ''*'' end from changed',
    column_name) into ids;
  if ids is not null then
    perform pg_notify('config_changed', tg_table_name || ':' || ids);
  end if;
  return null;
end $$;

do $$
declare
  target record;
begin
  for target in
    select * from (values
      ('virtual_devices', 'twin_id'), ('twins', 'id'), ('drivers', 'id'), ('states', 'twin_id'),
      ('state_links', 'state_id'), ('twin_references', 'twin_id'), ('connectors', 'id'), ('rules', 'id'),
      ('rule_triggers', 'rule_id'), ('accounts', 'id'), ('scopes', 'id'), ('roles', 'id'), ('users', 'id'),
      ('user_access', 'user_id')) as t (name, id_column)
  loop
    execute format('create trigger %1$s_notice_insert after insert on %1$I referencing new table as changed
      for each statement execute function notify_config_changed(%2$L)', target.name, target.id_column);
    execute format('create trigger %1$s_notice_update after update on %1$I referencing new table as changed
      for each statement execute function notify_config_changed(%2$L)', target.name, target.id_column);
    execute format('create trigger %1$s_notice_delete after delete on %1$I referencing old table as changed
      for each statement execute function notify_config_changed(%2$L)', target.name, target.id_column);
  end loop;
end $$;
