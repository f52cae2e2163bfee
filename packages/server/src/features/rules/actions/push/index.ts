import type { PushAction } from '@leitstand/contract/rules/actions/push'
import { readScopes } from '../../../twins/index.ts'
import { refuseIssues } from '../../issues.ts'
import { renderLine, renderText } from '../../render.ts'
import type { RecordedAction } from '../../store/pipeline.ts'
import type { Issue } from '../../types.ts'
import { type Sent, sending } from '../sending.ts'
import { checkText } from '../texts.ts'
import type { ActionKind } from '../types.ts'
import { RulePushes } from './send.ts'
import { readersOf } from './store.ts'

export interface PushEffect {
  kind: 'push'
  userIds: readonly number[]
  title: string
  body: string
}

/** Maximum characters of a message, with its values filled in. */
const lengthMax = { title: 200, body: 1000 } as const

export const push: ActionKind<PushAction, PushAction, PushEffect> = {
  isLasting: false,
  setsState: false,
  check: ({ title, body }, { aliases }) => [
    ...checkText(title, aliases, ['title']),
    ...checkText(body, aliases, ['body']),
  ],
  checkStates: () => [],
  uses: () => [],
  texts: ({ title, body }) => [title, body],
  withStates: (action) => action,
  withOwnStates: (action) => action,
  stateKeys: () => [],
  run: ({ kind, userIds, title, body }, moment) => ({
    kind,
    userIds,
    title: renderLine(title, moment).slice(0, lengthMax.title).toWellFormed(),
    body: renderText(body, moment).slice(0, lengthMax.body).toWellFormed(),
  }),
  record: ({ kind, title }) => ({ kind, ok: false, detail: title }),
  create(tools) {
    const pushes = new RulePushes(tools)
    return {
      async saved(tx, { caller, twinId }, actions) {
        const asked = actions.flatMap((action) => (action.kind === 'push' ? action.userIds : []))
        const scopes = readScopes(caller, 'digitalTwin')
        const readers = new Set((await readersOf(tx, [twinId], asked, scopes)).map(({ userId }) => userId))
        refuseIssues(
          actions.flatMap((action, index): Issue[] =>
            action.kind === 'push' && action.userIds.some((id) => !readers.has(id))
              ? [
                  {
                    path: ['actions', String(index), 'userIds'],
                    message: 'a user has no role on the twin',
                    text: 'userForeign',
                  },
                ]
              : [],
          ),
        )
      },
      send: sending('push', (tx, sent) => pushes.send(tx, sent)),
      committed: () => tools.deliveries.wake(),
      test: {
        kind: 'push',
        send: async (tx, sent) => (await pushes.send(tx, [sent as Sent<'push'>]))[0] as RecordedAction,
      },
    }
  },
}
