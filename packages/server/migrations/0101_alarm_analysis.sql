-- The analysis of alarms sums those of a period without reading their rows.
create index alarms_raised on alarms (raised_at)
  include (account_id, twin_id, connector_id, source, category, severity, resolved_at, occurrences);
