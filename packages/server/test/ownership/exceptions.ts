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
  // Below accounts there is no registry: `features/objects` is above the platform and activity.
  {
    by: 'platform',
    reads: ['accounts'],
    reason: 'limits, scripts and the tree of accounts are per account, with all above it',
  },
  {
    by: 'features/activity',
    reads: ['accounts', 'scopes', 'users'],
    reason: 'the log shows names and follows scopes; joined only where entries are read',
  },
  // Accounts and rights need each other: a scope has an account, and an account is found by its scope.
  { by: 'features/accounts', reads: ['scopes'], reason: 'each account has a scope, created with it' },

  // Triggers that must hold whichever statement causes them.
  {
    by: 'trigger delete_uses',
    writes: ['uses'],
    reason: 'rules and widgets are deleted by cascade, without calling their owner',
  },
  {
    by: 'trigger twins_copy_to_device',
    writes: ['device_live', 'virtual_devices'],
    reason:
      'the copied scope decides who sees a device, so it must follow the twin whichever statement changes it; ' +
      'positions change for each packet of a tracker, and the trigger needs no further statement in the writer',
  },
  {
    by: 'trigger twins_copy_title',
    writes: ['virtual_devices'],
    reason: 'devices are found by words of their title and external id, which one index must hold together',
  },
]
