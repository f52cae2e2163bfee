-- Whom to call about a twin: [{ name, role, phone, email }].
alter table twins add column contacts jsonb not null default '[]';
