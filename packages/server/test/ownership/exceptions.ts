/** A foreign write or an upward read that is allowed. */
export interface Exception {
  /** a folder or file below src, or `trigger` and the function it runs */
  by: string
  writes?: readonly string[]
  reads?: readonly string[]
  reason: string
}

/** This list only shrinks: the test fails on an exception that nothing needs any more. */
export const exceptions: readonly Exception[] = [
  // The tree of accounts is the base of everything; the platform has no name for it yet.
  { by: 'platform', reads: ['accounts'], reason: 'limits and scripts are per account, with all above it' },
  {
    by: 'features/activity',
    reads: ['accounts', 'scopes', 'users'],
    reason: 'lists show names and follow scopes',
  },
  // Rules and widgets are deleted by cascade, without calling the owner.
  {
    by: 'trigger delete_uses',
    writes: ['uses'],
    reason: 'what a thing uses is forgotten in the statement that deletes it',
  },

  // Each account has its own scope, by which it is found and filtered.
  { by: 'features/accounts', reads: ['scopes'], reason: 'the scope of an account' },

  // To be removed: features register what others read of them.
  {
    by: 'features/twins',
    reads: ['connectors', 'device_live'],
    reason: 'sources of states',
  },
  { by: 'features/alarms', reads: ['rules'], reason: 'titles' },
  {
    by: 'features/drivers',
    reads: [
      'device_health_configs',
      'device_health_refreshes',
      'device_live',
      'device_template_contents',
      'device_templates',
      'files',
      'packets',
      'twins',
      'virtual_devices',
    ],
    reason: 'use of drivers',
  },

  // To be removed: use the owners' functions.
  { by: 'features/people', reads: ['sso_identities'], reason: 'who has never signed in' },
  { by: 'features/rights', reads: ['api_keys', 'sso_mappings', 'users'], reason: 'where a role is given' },
  {
    by: 'features/devices',
    reads: ['connectors', 'device_template_contents', 'device_templates', 'packets'],
    reason: 'lists of devices',
  },
  { by: 'features/batches', reads: ['connectors', 'device_templates'], reason: 'what a batch is about' },
  {
    by: 'features/series',
    reads: ['state_links', 'states', 'twins'],
    reason: 'a series is read with the title, scope and sources of its state; a join on the hot path',
  },

  // Triggers of higher features on lower tables, so that a copy or note is correct whichever statement
  // changes them.
  {
    by: 'trigger accept_driver_of_device',
    writes: ['driver_acceptances'],
    reason: 'the first device with a driver accepts its version, however the device came by the driver',
  },
  {
    by: 'trigger note_health_refresh',
    writes: ['device_health_refreshes'],
    reason: 'disabling a twin concerns the health of its device; twins know nothing of health',
  },
  {
    by: 'trigger twins_copy_to_device',
    writes: ['device_live', 'virtual_devices'],
    reason: 'devices keep scope, account and position of their twins, so that counting them needs no join',
  },
  {
    by: 'trigger twins_leave_dashboards',
    writes: ['dashboards'],
    reason: 'dashboards of a deleted twin go back to the scope of the account',
  },
  {
    by: 'trigger twins_scope_moved',
    writes: ['alarms', 'dashboards'],
    reason: 'alarms and dashboards keep the scope of their twins',
  },
]
