import type { Action, Subject } from '@leitstand/contract/permissions'
import type { Ticket } from '@leitstand/contract/tickets'
import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import type { EventOf } from '../../platform/events/topic.ts'
import { mailKind } from '../../platform/mail/templates/kind.ts'
import type { Language } from '../../platform/mail/text.ts'
import { ticketChanged } from '../../topics/ticketChanged.ts'
import { languageOf, type PeopleFeature } from '../people/index.ts'
import type { RulesFeature } from '../rules/index.ts'
import type { TicketsFeature } from '../tickets/index.ts'
import { type Hearer, readHearers } from './tickets.store.ts'

type Changed = EventOf<typeof ticketChanged>

interface Parts {
  people: Pick<PeopleFeature, 'standingIn'>
  rules: Pick<RulesFeature, 'sendToBrowsers' | 'wakeDeliveries'>
  tickets: Pick<TicketsFeature, 'readFor' | 'writesOf'>
}

/** Writes of one person in an hour that send messages; further ones are only shown in the ticket. */
export const toldPerHourMax = 30

/** Tells those who have to do with a ticket what happened to it. */
export const ticketMail = mailKind({
  id: 'ticket',
  area: 'tickets',
  title: { de: 'Neues zu einem Ticket', en: 'News of a ticket' },
  readers: {
    de: 'wer das Ticket gemeldet hat, und wer dafür zuständig ist',
    en: 'who has reported the ticket, and who takes care of it',
  },
  languages: 'spoken',
  variables: {
    title: {
      type: 'text',
      label: { de: 'Nummer und Betreff des Tickets', en: 'number and subject of the ticket' },
      example: { de: '#12 Heizung bleibt kalt', en: '#12 The heater stays cold' },
    },
    place: {
      type: 'text',
      label: { de: 'Ort', en: 'place' },
      example: { de: 'Rathaus › Raum 101', en: 'Town hall › Room 101' },
    },
    text: {
      type: 'lines',
      label: { de: 'was geschehen ist', en: 'what happened' },
      example: { de: 'Das Ticket ist erledigt.', en: 'The ticket is done.' },
      isRequired: true,
    },
    link: {
      type: 'link',
      label: { de: 'Link zum Ticket', en: 'Link to the ticket' },
      example: {
        de: 'https://iot.example/#/fm-ticketing-mgmt?ticket=1',
        en: 'https://iot.example/#/fm-ticketing-mgmt?ticket=1',
      },
    },
  },
  texts: {
    de: {
      subject: '{{title}}',
      body: '**{{title}}**\n{{place}}\n\n{{text}}\n\n[Ticket ansehen]({{link}})',
    },
    en: {
      subject: '{{title}}',
      body: '**{{title}}**\n{{place}}\n\n{{text}}\n\n[View the ticket]({{link}})',
    },
  },
})

const words = {
  de: {
    assigned: 'Sie sind für dieses Ticket zuständig.',
    states: ['Das Ticket ist wieder offen.', 'Das Ticket ist in Arbeit.', 'Das Ticket ist erledigt.'],
    joined: (to: number) => `Das Ticket wurde mit Ticket #${to} zusammengelegt, das dasselbe meldet.`,
    comment: (text: string) => `Neuer Kommentar:\n${text}`,
  },
  en: {
    assigned: 'This ticket is yours to take care of.',
    states: ['The ticket is open again.', 'The ticket is in progress.', 'The ticket is done.'],
    joined: (to: number) => `The ticket was joined with ticket #${to}, which reports the same.`,
    comment: (text: string) => `New comment:\n${text}`,
  },
} as const

/**
 * Tells the reporter and the assignee of a ticket what others have done with it, by mail and in their browsers, in the
 * transaction that notes the event as handled. Rights are looked at then: who no longer sees a ticket does not hear of it.
 */
export function consumeTickets(
  ctx: Pick<Context, 'events' | 'mail' | 'brands' | 'clock'>,
  parts: Parts,
): void {
  ctx.events.consume({
    name: 'ticket-notifications',
    topics: [ticketChanged],
    partition: ({ payload }) => payload.ticketId,
    handleOnce: async (events, tx) => {
      let told = 0
      for (const event of events) told += await tell(ctx, parts, tx, event)
      return told > 0 ? parts.rules.wakeDeliveries : undefined
    },
  })
}

/** @returns how many people were told */
async function tell(
  ctx: Pick<Context, 'mail' | 'brands' | 'clock'>,
  parts: Parts,
  tx: Executor,
  { accountId, payload }: Changed,
): Promise<number> {
  if (payload.what === 'created' || accountId === null) return 0
  if (payload.by !== null) {
    const hourAgo = new Date(Date.parse(payload.at) - 3_600_000)
    if ((await parts.tickets.writesOf(tx, payload.by, hourAgo)) > toldPerHourMax) return 0
  }
  const hearers = (await readHearers(tx, payload.ticketId)).filter(({ userId, as }) => {
    if (userId === payload.by) return false
    return payload.what === 'assigned'
      ? userId === payload.to
      : as !== 'duplicate' || payload.what === 'state'
  })
  let told = 0
  for (const hearer of hearers) {
    const standing = await parts.people.standingIn(tx, hearer.userId)
    if (standing === null) continue
    const rights = {
      userId: hearer.userId,
      scopeIds: (subject: Subject, action: Action) => standing.scopeIds(subject, action),
    }
    const [ticket] = await parts.tickets.readFor(tx, rights, [hearer.ticketId])
    if (ticket === undefined) continue
    await send(ctx, parts, tx, {
      accountId,
      hearer,
      ticket,
      text: textOf(payload, languageOf(hearer.properties)),
    })
    told++
  }
  return told
}

function textOf({ what, to, text }: Changed['payload'], language: Language): string {
  const said = words[language]
  switch (what) {
    case 'assigned':
      return said.assigned
    case 'state':
      return said.states[to ?? 0] ?? said.states[0]
    case 'joined':
      return said.joined(to ?? 0)
    default:
      return said.comment(text)
  }
}

async function send(
  { mail, brands }: Pick<Context, 'mail' | 'brands'>,
  { rules }: Parts,
  tx: Executor,
  { accountId, hearer, ticket, text }: { accountId: number; hearer: Hearer; ticket: Ticket; text: string },
): Promise<void> {
  const { publicUrl } = await brands.of(tx, accountId)
  const title = `#${ticket.number} ${ticket.subject}`
  const place = [...ticket.twin.above, ticket.twin.title].join(' › ')
  // The list of tickets is open to those who read others' tickets; the rest see what they have reported.
  const path = `${hearer.as === 'assignee' ? '/fm-ticketing-mgmt' : '/fm-add-ticket'}?ticket=${ticket.id}`
  await mail.write(tx, ticketMail, {
    accountId,
    recipients: [hearer.email],
    language: languageOf(hearer.properties),
    values: { title, place, text, link: `${publicUrl}/#${path}` },
  })
  const message = { title, body: text, url: `/#${path}`, tag: `ticket-${ticket.id}` }
  await rules.sendToBrowsers(tx, { accountId, userId: hearer.userId, ...message })
}
