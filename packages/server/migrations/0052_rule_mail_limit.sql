-- Recipients of rule mails an hour, of the account and all below it; null: no limit of its own.
alter table accounts add column rule_mail_limit integer check (rule_mail_limit between 0 and 1000000);

-- How many there were lately, for the limits of an account.
create index mails_of_rules on mails (account_id, created_at) where origin ? 'ruleId';
