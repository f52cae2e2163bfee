-- Messages per second an account may send through all its connectors. Null: what the platform is configured to give
-- every account; 0: no limit, whatever the platform gives.
alter table accounts add column messages_per_second integer check (messages_per_second between 0 and 100000);
