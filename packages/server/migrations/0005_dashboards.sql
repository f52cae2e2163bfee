-- A dashboard is seen by those who see its twin, or without one by those who see its account. Its scope follows the
-- twin by triggers, so that no writer can forget: set when the dashboard is written, moved with the twin, and back to
-- the account's when the twin is deleted (before the twin's own scope goes with it).

create index dashboards_parent on dashboards (parent_twin_id);

create function dashboards_scope() returns trigger language plpgsql as $$
begin
  new.scope_id := coalesce(
    (select t.scope_id from twins t where t.id = new.parent_twin_id),
    (select s.id from scopes s where s.account_id = new.account_id and s.twin_id is null));
  return new;
end $$;
create trigger dashboards_scope before insert or update of parent_twin_id, account_id on dashboards
  for each row execute function dashboards_scope();

create function twins_scope_moved() returns trigger language plpgsql as $$
begin
  update dashboards set scope_id = new.scope_id where parent_twin_id = new.id;
  update alarms set scope_id = new.scope_id where twin_id = new.id;
  return null;
end $$;
create trigger twins_scope_moved after update of scope_id on twins
  for each row when (old.scope_id is distinct from new.scope_id) execute function twins_scope_moved();

create function twins_leave_dashboards() returns trigger language plpgsql as $$
begin
  update dashboards set parent_twin_id = null where parent_twin_id = old.id;
  return old;
end $$;
create trigger twins_leave_dashboards before delete on twins
  for each row execute function twins_leave_dashboards();

-- Alarms of one twin or device, newest first.
create index alarms_twin on alarms (twin_id, id desc);

-- Open dashboards are told when they change, whoever changed them; see 0002.
do $$
declare
  target record;
begin
  for target in select * from (values ('dashboards', 'id'), ('widgets', 'dashboard_id')) as t (name, id_column)
  loop
    execute format('create trigger %1$s_notice_insert after insert on %1$I referencing new table as changed
      for each statement execute function notify_config_changed(%2$L)', target.name, target.id_column);
    execute format('create trigger %1$s_notice_update after update on %1$I referencing new table as changed
      for each statement execute function notify_config_changed(%2$L)', target.name, target.id_column);
    execute format('create trigger %1$s_notice_delete after delete on %1$I referencing old table as changed
      for each statement execute function notify_config_changed(%2$L)', target.name, target.id_column);
  end loop;
end $$;
