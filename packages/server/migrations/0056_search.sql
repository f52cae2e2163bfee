-- Searches compare a folded form of texts: without case, accents, sub- and superscripts and separators. It is stored
-- beside the texts and indexed by trigrams, so that rows are compared without computing it again. `fold` of the
-- contract returns the same; searches are folded there.

-- Umlauts are written both ways, in two lines: `Büro` becomes `buro` and `buero`.
create function fold_letters(decomposed text) returns text language sql immutable parallel safe
  return translate(
    replace(replace(replace(replace(
      regexp_replace(decomposed, U&'[\0300-\036F]', '', 'g'), 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th'),
    U&'\00F8\0111\00F0\0127\0142\0131\014B\03C2\03BC\0009\000D-_.:/\\\0027\00AD\00B7\02BC\200B\200C\200D\2010\2011\2012\2013\2014\2015\2018\2019\2044\2060\2212\FEFF',
    U&'oddhlin\03C3u ');

create function fold_wide(given text) returns text language sql immutable parallel safe
begin atomic
  select case when short = long then short else short || E'\n' || long end
  from (select lower(normalize(given, NFKD) collate "und-x-icu") as decomposed) as a,
    lateral (
      select fold_letters(decomposed) as short,
        fold_letters(replace(replace(replace(replace(replace(decomposed,
          U&'a\0308', 'ae'), U&'o\0308', 'oe'), U&'u\0308', 'ue'), U&'a\030A', 'aa'), U&'\00F8', 'oe')) as long) as b;
end;

-- Most texts are plain ASCII, for which this is fast; inlined into the expressions of the columns.
create function fold(given text) returns text language sql immutable parallel safe
  return case when octet_length(given) = length(given)
    then translate(lower(given collate "C"), E'\t\r-_.:/\\''', ' ') else fold_wide(given) end;

-- Each field stands in lines of its own, so that a whole field can be found, too.
drop index twins_title;
drop statistics twins_title_lower;
alter table twins add column search text collate "C" generated always as (fold(E'\n' || title || E'\n')) stored;
create index twins_search on twins using gin (search gin_trgm_ops);

-- Devices are found by words of their title and of their external id, so both are in one column. The title is another
-- copy of the twin's, like scope and account.
drop index virtual_devices_external;
drop statistics virtual_devices_external_lower;
alter table virtual_devices add column title text not null default '';
update virtual_devices d set title = t.title from twins t where t.id = d.twin_id;
alter table virtual_devices add column search text collate "C"
  generated always as (fold(E'\n' || title || E'\n' || external_id || E'\n')) stored;
create index virtual_devices_search on virtual_devices using gin (search gin_trgm_ops);

create or replace function virtual_devices_copy() returns trigger language plpgsql as $$
begin
  select account_id, scope_id, created_at, title into new.account_id, new.scope_id, new.created_at, new.title
    from twins where id = new.twin_id;
  return new;
end $$;

create function twins_copy_title() returns trigger language plpgsql as $$
begin
  update virtual_devices set title = new.title where twin_id = new.id;
  return null;
end $$;
create trigger twins_copy_title after update of title on twins
  for each row when (new.category = 'virtualDevice' and old.title <> new.title)
  execute function twins_copy_title();

drop index states_search;
drop statistics states_title_lower, states_key_lower;
alter table states
  add column search text collate "C" generated always as (fold(E'\n' || title || E'\n' || key || E'\n')) stored;
create index states_search on states using gin (search gin_trgm_ops);

drop index drivers_title;
alter table drivers add column search text collate "C"
  generated always as (fold(E'\n' || title || E'\n' || manufacturer || E'\n' || model || E'\n')) stored;
create index drivers_search on drivers using gin (search gin_trgm_ops);

alter table connectors add column search text collate "C"
  generated always as (fold(E'\n' || name || E'\n' || description || E'\n')) stored;
create index connectors_search on connectors using gin (search gin_trgm_ops);

alter table dashboards add column search text collate "C" generated always as (fold(E'\n' || name || E'\n')) stored;
create index dashboards_search on dashboards using gin (search gin_trgm_ops);

alter table rules add column search text collate "C" generated always as (fold(E'\n' || title || E'\n')) stored;
create index rules_search on rules using gin (search gin_trgm_ops);

alter table device_templates
  add column search text collate "C" generated always as (fold(E'\n' || title || E'\n')) stored;
create index device_templates_search on device_templates using gin (search gin_trgm_ops);

alter table device_views
  add column search text collate "C" generated always as (fold(E'\n' || title || E'\n')) stored;

-- Without the address: it is not shown to everybody who may find the user.
alter table users add column search text collate "C" generated always as (
  fold(E'\n' || username || E'\n' || coalesce(first_name, '') || ' ' || coalesce(last_name, '') || E'\n')) stored;
create index users_search on users using gin (search gin_trgm_ops);

alter table api_keys add column search text collate "C"
  generated always as (fold(E'\n' || title || E'\n' || prefix || E'\n')) stored;

alter table applications add column search text collate "C"
  generated always as (fold(E'\n' || title || E'\n' || client_id || E'\n')) stored;

alter table alarms add column search text collate "C" generated always as (fold(E'\n' || message || E'\n')) stored;
create index alarms_search on alarms using gin (search gin_trgm_ops);

alter table background_jobs
  add column search text collate "C" generated always as (fold(E'\n' || title || E'\n')) stored;

-- There can be many millions of entries: the index alone holds the folded form.
drop index activities_text;
create index activities_text on activities using gin (
  fold(E'\n' || object_title || E'\n' || user_name || E'\n' || coalesce(impersonator_name, '') || E'\n') gin_trgm_ops);

-- Not when empty: the planner would then read whole tables until there are other statistics.
do $$ begin
  if exists (select from twins) then analyze twins, virtual_devices, states; end if;
end $$;
