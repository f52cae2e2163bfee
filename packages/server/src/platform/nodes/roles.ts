/**
 * What a node does. `web`: API, console and live connection; `connect`: connectors; `ingest`: stores packets;
 * `derive`: computed states, rules, alarms and everything else that follows events; `jobs`: background jobs.
 */
export const roles = ['web', 'connect', 'ingest', 'derive', 'jobs'] as const
export type Role = (typeof roles)[number]
