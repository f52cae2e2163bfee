-- Of twins and scopes that are gone nobody can ask to which account they belonged, so their deletion announces it: what looks for
-- twins, such as an aggregate by query, then looks again in these accounts and not in all there are.

create function notify_left_accounts() returns trigger language plpgsql as $$
declare
  ids text;
begin
  select case when count(distinct account_id) <= 200 then string_agg(distinct account_id::text, ',') else '*' end into ids from gone;
  if ids is not null then
    perform pg_notify('config_changed', 'left_accounts:' || ids);
  end if;
  return null;
end $$;

create trigger twins_left after delete on twins referencing old table as gone
  for each statement execute function notify_left_accounts();
create trigger scopes_left after delete on scopes referencing old table as gone
  for each statement execute function notify_left_accounts();
