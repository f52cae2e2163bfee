-- Who has taken care of an alarm, and what people say about it.
alter table alarms
  add column acknowledged_at timestamptz,
  add column acknowledged_by integer references users (id) on delete set null,
  -- as it was then
  add column acknowledged_name text,
  add check ((acknowledged_at is null) = (acknowledged_name is null));
create index alarms_acknowledged_by on alarms (acknowledged_by) where acknowledged_by is not null;
-- what nobody has taken care of
create index alarms_untended on alarms (account_id, id desc) where resolved_at is null and acknowledged_at is null;

create table alarm_comments (
  id bigint generated always as identity primary key,
  alarm_id bigint not null references alarms (id) on delete cascade,
  user_id integer references users (id) on delete set null,
  -- as it was then
  user_name text not null,
  at timestamptz not null default now(),
  text text not null check (text <> '')
);
create index alarm_comments_alarm on alarm_comments (alarm_id, id);
create index alarm_comments_user on alarm_comments (user_id) where user_id is not null;
