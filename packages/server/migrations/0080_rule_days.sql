-- What rules did and cost, by day in UTC. Counted in memory and written every few seconds.
create table rule_days (
  rule_id integer not null references rules (id) on delete cascade,
  day date not null,
  evaluations integer not null,
  fired integer not null,
  errors integer not null,
  duration_us bigint not null,
  primary key (rule_id, day)
);
create index rule_days_day on rule_days (day);
-- For the search by time.
create index rule_executions_at on rule_executions (at);
