-- What somebody may do depends on few rows: their roles, the scopes below those they have roles on, and the accounts of these scopes with
-- all above them. A change of a scope, an account or a role made every node read the rights of everybody again. These notices name whom it
-- can concern; those of 0002 stay, for others who listen and for nodes of the version before.

-- Accounts in whose scopes something has changed: those of the scopes, and of the scopes they are put below, since who has a role there
-- gains them. Who loses a scope had it, and is found by its account.
create function notify_scopes_made() returns trigger language plpgsql as $$
declare
  ids text[];
begin
  select array_agg(distinct account_id::text) into ids from (
    select account_id from changed
    union select p.account_id from changed c join scopes p on p.id = c.parent_id) as concerned;
  perform announce_changed('scope_accounts', ids);
  return null;
end $$;

create function notify_scopes_changed() returns trigger language plpgsql as $$
declare
  ids text[];
begin
  with edited as (
    select k.account_id as old_account_id, n.account_id, n.parent_id from known k join changed n on n.id = k.id
    where (k.parent_id, k.account_id, k.twin_id, k.name) is distinct from (n.parent_id, n.account_id, n.twin_id, n.name))
  select array_agg(distinct concerned.account_id::text) into ids from (
    select account_id from edited
    union select old_account_id from edited
    union select p.account_id from edited e join scopes p on p.id = e.parent_id) as concerned;
  perform announce_changed('scope_accounts', ids);
  return null;
end $$;

create trigger scopes_accounts_insert after insert on scopes referencing new table as changed
  for each statement execute function notify_scopes_made();
create trigger scopes_accounts_update after update on scopes referencing old table as known new table as changed
  for each statement execute function notify_scopes_changed();
create trigger scopes_accounts_delete after delete on scopes referencing old table as changed
  for each statement execute function notify_config_changed('account_id', 'scope_accounts');

-- Accounts that were put below others, which gives them other modules that are off, or demand a second factor now or no longer. Nothing
-- else of an account matters to rights, and nobody has rights in one that is new before it has a scope.
create function notify_account_lines() returns trigger language plpgsql as $$
declare
  ids text[];
begin
  select array_agg(n.id::text) into ids from known k join changed n on n.id = k.id
    where (k.parent_id, k.two_factor_required) is distinct from (n.parent_id, n.two_factor_required);
  perform announce_changed('account_lines', ids);
  return null;
end $$;

create trigger accounts_lines_update after update on accounts referencing old table as known new table as changed
  for each statement execute function notify_account_lines();
create trigger accounts_lines_delete after delete on accounts referencing old table as changed
  for each statement execute function notify_config_changed('id', 'account_lines');

-- Only rights follow the roles, and of a role they need nothing but its rules.
create function notify_roles_changed() returns trigger language plpgsql as $$
declare
  ids text[];
begin
  select array_agg(n.id::text) into ids from known k join changed n on n.id = k.id where k.rules <> n.rules;
  perform announce_changed('roles', ids);
  return null;
end $$;

create or replace trigger roles_notice_update after update on roles referencing old table as known new table as changed
  for each statement execute function notify_roles_changed();

-- Who had a role before it was given to somebody else.
create trigger user_access_notice_left after update on user_access referencing old table as changed
  for each statement execute function notify_config_changed('user_id', 'user_access');
