-- A twin that moves is announced as moved: nothing else of it has changed, and what nodes know of it they need not read again, which
-- trackers would make them do many times a second. A move is what raises the version and says so (0051).
create function notify_twins_changed() returns trigger language plpgsql as $$
declare
  edited text[];
  moved text[];
begin
  select array_agg(id::text) filter (where not is_move), array_agg(id::text) filter (where is_move) into edited, moved
  from (
    select n.id, n.version <> k.version and n.moved_to is not distinct from n.version as is_move
    from changed n join known k on k.id = n.id) as updated;
  perform announce_changed('twins', edited);
  perform announce_changed('twin_moves', moved);
  return null;
end $$;

drop trigger twins_notice_update on twins;
create trigger twins_notice_update after update on twins referencing old table as known new table as changed
  for each statement execute function notify_twins_changed();
