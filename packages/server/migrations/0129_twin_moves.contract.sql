-- A twin that moves is announced as moved: nothing else of it has changed, and what nodes know of it they need not read again, which
-- trackers would make them do many times a second. A move is what raises the version and says so (0051).
create function notify_twins_changed() returns trigger language plpgsql as $$
declare
  ids int[];
  subject text;
begin
  foreach subject in array array['twins', 'twin_moves'] loop
    select array_agg(n.id) into ids from changed n join known k on k.id = n.id
    where (n.version <> k.version and n.moved_to is not distinct from n.version) = (subject = 'twin_moves');
    if cardinality(ids) > 20000 then
      perform pg_notify('config_changed', subject || ':*');
    elsif ids is not null then
      for place in 1 .. cardinality(ids) by 300 loop
        perform pg_notify('config_changed', subject || ':' || array_to_string(ids[place : place + 299], ','));
      end loop;
    end if;
  end loop;
  return null;
end $$;

drop trigger twins_notice_update on twins;
create trigger twins_notice_update after update on twins referencing old table as known new table as changed
  for each statement execute function notify_twins_changed();
