import type { TerminalCommand } from '@leitstand/contract/terminal'
import type { Command } from '../types.ts'
import { connectors } from './connectors.ts'
import { consumers } from './consumers.ts'
import { counts } from './counts.ts'
import { help } from './help.ts'
import { licences } from './licences.ts'
import { nodes } from './nodes.ts'
import { queues } from './queues.ts'
import { rebuildRollups } from './rebuildRollups.ts'
import { rederive } from './rederive.ts'
import { releaseLease } from './releaseLease.ts'
import { replayEvents } from './replayEvents.ts'
import { replayMessages } from './replayMessages.ts'
import { revokeSessions } from './revokeSessions.ts'
import { statements } from './statements.ts'
import { status } from './status.ts'

/** Every command; a new one is a file and a line here and in the contract. */
export const commands: Readonly<Record<TerminalCommand, Command>> = {
  help,
  status,
  queues,
  consumers,
  statements,
  connectors,
  nodes,
  counts,
  licences,
  rederive,
  'rebuild-rollups': rebuildRollups,
  'replay-events': replayEvents,
  'replay-messages': replayMessages,
  'release-lease': releaseLease,
  'revoke-sessions': revokeSessions,
}
