import type { PushAction } from '@leitstand/contract/rules/actions/push'
import { refuseIssues } from '../../issues.ts'
import { renderLine, renderText } from '../../render.ts'
import type { RecordedAction } from '../../store/pipeline.ts'
import { type Sent, sending } from '../sending.ts'
import { checkText } from '../texts.ts'
import type { ActionKind } from '../types.ts'
import { RulePushes } from './send.ts'
import { membersOf } from './store.ts'

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
  fromTemplate: (action) => action,
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
      async saved(tx, { accountId }, actions) {
        for (const [index, action] of actions.entries()) {
          if (action.kind !== 'push') continue
          const members = await membersOf(tx, accountId, action.userIds)
          refuseIssues(
            action.userIds.flatMap((id) =>
              members.has(id)
                ? []
                : [
                    {
                      path: ['actions', String(index), 'userIds'],
                      message: 'no such user in the account of the rule',
                      text: 'userForeign' as const,
                    },
                  ],
            ),
          )
        }
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
