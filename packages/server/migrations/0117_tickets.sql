-- What is broken in a building, and who takes care of it.
create table tickets (
  id integer generated always as identity primary key,
  account_id integer not null references accounts (id) on delete cascade,
  -- counted within the account
  number integer not null,
  twin_id integer not null references twins (id) on delete cascade,
  type text not null
    check (type in ('defect', 'pollution', 'waterLeakage', 'powerFailure', 'heatingFailure', 'other')),
  subject text not null,
  comment text not null,
  -- 0 to do, 1 in progress, 2 done
  state smallint not null default 0 check (state between 0 and 2),
  -- 0 low, 1 normal, 2 high, 3 urgent
  priority smallint not null default 1 check (priority between 0 and 3),
  due_at date,
  source text not null check (source in ('person', 'alarm', 'rule')),
  -- without a foreign key: alarms end earlier than tickets
  alarm_id bigint,
  -- without a foreign key: a ticket outlives the rule that has made it
  rule_id integer,
  reported_by integer references users (id) on delete set null,
  reporter_name text not null,
  -- names one report of one person: what is sent again is the same ticket
  report_key uuid,
  assigned_to integer references users (id) on delete set null,
  assigned_name text,
  duplicate_of integer references tickets (id) on delete set null,
  created_at timestamptz not null,
  changed_at timestamptz not null,
  closed_at timestamptz,
  version integer not null default 1,
  search text collate "C" generated always as (
    fold(E'\n' || '#' || number::text || E'\n' || subject || E'\n' || comment || E'\n')) stored,
  unique (account_id, number),
  check ((state = 2) = (closed_at is not null)),
  check (duplicate_of <> id)
);
create unique index tickets_report on tickets (account_id, reported_by, report_key) nulls not distinct
  where report_key is not null;
create index tickets_open on tickets (account_id, state) where state < 2;
create index tickets_twin on tickets (twin_id, state);
create index tickets_rule on tickets (rule_id, twin_id) where rule_id is not null and state < 2;
create index tickets_reporter on tickets (reported_by) where reported_by is not null;
create index tickets_assigned on tickets (assigned_to) where assigned_to is not null;
create index tickets_duplicate on tickets (duplicate_of) where duplicate_of is not null;
create index tickets_closed on tickets (account_id, closed_at) where closed_at is not null;

-- The last number of an account; its row is locked while a ticket is made, so that limits hold.
create table ticket_numbers (
  account_id integer primary key references accounts (id) on delete cascade,
  last integer not null
);

-- Comments on tickets and changes of them.
create table ticket_entries (
  id bigint generated always as identity primary key,
  ticket_id integer not null references tickets (id) on delete cascade,
  at timestamptz not null,
  user_id integer references users (id) on delete set null,
  user_name text not null,
  kind text not null check (kind in ('created', 'comment', 'change')),
  text text not null default '',
  -- by field: from and to
  changes jsonb not null default '{}'
);
create index ticket_entries_ticket on ticket_entries (ticket_id, id);
create index ticket_entries_user on ticket_entries (user_id) where user_id is not null;

-- Photos and documents of tickets.
alter table files add column ticket_id integer references tickets (id) on delete cascade;
create index files_ticket on files (ticket_id) where ticket_id is not null;
create unique index files_ticket_picture on files (ticket_id) where role = 'picture';
