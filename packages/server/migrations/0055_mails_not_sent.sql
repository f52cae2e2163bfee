-- Mails that were not sent: few, and counted for the start page of administrators.
create index mails_not_sent on mails (status, created_at)
  where status in ('kept', 'failed') or (status = 'queued' and error is not null);
