-- Whether a report sends through a connector: still true when the connector was deleted, so that its runs can say so.
alter table alarm_reports add column uses_connector boolean not null default false;
update alarm_reports set uses_connector = connector_id is not null or topic is not null;
