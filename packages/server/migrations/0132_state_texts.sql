-- Rare words are looked up in the texts of states, which are few: the states of a driver's devices share theirs. So a new state costs
-- an entry in a small index, and not one per trigram of its text. The table is a set that may hold a text twice: two transactions that
-- add the same one do not wait for each other. Unused texts are deleted later (`twins/texts`).
create table state_texts (
  -- Its MD5, by which states are found: too short a hash would let one account hide the text of another.
  id uuid not null,
  search text collate "C" not null
);

create function state_text_id(search text) returns uuid language sql immutable strict parallel safe
  return md5(search)::uuid;

create function states_texts_new() returns trigger language plpgsql as $$
begin
  insert into state_texts (id, search)
  select state_text_id(c.search), c.search from (select distinct search from changed) c
  where not exists (select from state_texts x where x.id = state_text_id(c.search));
  return null;
end $$;
create trigger states_texts_new after insert on states referencing new table as changed
  for each statement execute function states_texts_new();

create function states_texts_changed() returns trigger language plpgsql as $$
begin
  insert into state_texts (id, search)
  select state_text_id(new.search), new.search
  where not exists (select from state_texts x where x.id = state_text_id(new.search));
  return null;
end $$;
create trigger states_texts_changed after update on states
  for each row when (old.search <> new.search) execute function states_texts_changed();

-- The triggers are there first: creating them waits for writers, so that no text is missed.
insert into state_texts (id, search) select state_text_id(s.search), s.search from (select distinct search from states) s;
create index state_texts_id on state_texts (id);
create index state_texts_search on state_texts using gin (search gin_trgm_ops);
create index states_text on states (state_text_id(search));

-- Not when empty: the planner would then read whole tables until there are other statistics.
do $$ begin
  if exists (select from states) then analyze state_texts, states; end if;
end $$;
