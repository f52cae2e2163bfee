import type { TraceStep } from '@leitstand/contract/traces'
import { Button, Collapse, Text, VisuallyHidden } from '@mantine/core'
import {
  IconActivity,
  IconBell,
  IconBolt,
  IconCheck,
  IconClock,
  IconCode,
  IconDots,
  IconEyeOff,
  IconMail,
  IconMailOff,
  IconPackage,
  IconQuestionMark,
  IconRoute,
  IconSend,
  IconX,
} from '@tabler/icons-react'
import { Suspense, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatTime, formatTimeExact, formatValue } from '../../lib/format.ts'
import { thingPath } from '../../lib/recent.ts'
import { Icon, type IconType } from '../../ui/display/Icon.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { RouterLink } from '../../ui/page/RouterLink.tsx'
import { WhyExecution } from '../rules/index.ts'
import classes from './traces.module.css'
import { lineOf, type Node, treeOf } from './tree.ts'
import { knownText, lagOf, linesOf, outcomesOf, titleOf } from './words.ts'

const icons: Record<TraceStep['kind'], IconType> = {
  letter: IconMailOff,
  packet: IconPackage,
  decode: IconCode,
  value: IconActivity,
  execution: IconRoute,
  unrecorded: IconRoute,
  action: IconSend,
  alarm: IconBell,
  reminder: IconMail,
  hidden: IconEyeOff,
  more: IconDots,
  lost: IconQuestionMark,
}
const signs = { done: IconCheck, waiting: IconClock, failed: IconX, unknown: IconQuestionMark }

/** The steps one below the other; where several follow from one, they are branches beside a line. */
export function Steps({ steps }: { steps: readonly TraceStep[] }) {
  return treeOf(steps).map((node) => <Line key={node.step.key} node={node} />)
}

function Line({ node }: { node: Node }) {
  const { line, branches } = lineOf(node)
  return (
    <ol className={classes.line}>
      {line.map((step, index) => (
        <li key={step.key}>
          <Step step={step} />
          {index === line.length - 1 && branches.length > 0 ? (
            <div className={classes.branches}>
              {branches.map((branch) => (
                <Line key={branch.step.key} node={branch} />
              ))}
            </div>
          ) : null}
        </li>
      ))}
    </ol>
  )
}

function Step({ step }: { step: TraceStep }) {
  const { t } = useTranslation()
  const card = useRef<HTMLElement>(null)
  const { isAsked } = step
  useEffect(() => {
    if (isAsked) card.current?.scrollIntoView({ block: 'nearest' })
  }, [isAsked])
  const lag = lagOf(step, t)
  const known = knownText(step, t)
  const to = linkOf(step)
  return (
    <article
      ref={card}
      className={classes.step}
      data-kind={step.kind}
      data-tone={toneOf(step)}
      data-asked={isAsked || undefined}
    >
      <span className={classes.bullet}>
        <Icon of={icon(step)} size={16} />
      </span>
      <div className={classes.body}>
        <div className={classes.head}>
          <VisuallyHidden>{t(`trace.kinds.${step.kind}`)}</VisuallyHidden>
          <span className={classes.title} data-title>
            {to === null ? titleOf(step, t) : <RouterLink to={to}>{titleOf(step, t)}</RouterLink>}
          </span>
          {isAsked ? <span className={classes.asked}>{t('trace.asked')}</span> : null}
        </div>
        {step.at === null ? null : (
          <time className={classes.time} dateTime={step.at} title={formatTimeExact(step.at)}>
            {formatTime(step.at)}
            {lag === null ? null : <span> · {lag}</span>}
          </time>
        )}
        {linesOf(step, t).map((line) => (
          <Text key={line} size="sm" className={classes.text ?? ''}>
            {line}
          </Text>
        ))}
        {outcomesOf(step, t).map(({ sign, text }) => (
          <div key={text} className={classes.outcome} data-sign={sign}>
            <Icon of={signs[sign]} size={15} />
            <span>{text}</span>
          </div>
        ))}
        {known === null ? null : (
          <Text size="xs" c="dimmed">
            {known}
          </Text>
        )}
        <Details step={step} />
      </div>
    </article>
  )
}

function icon(step: TraceStep): IconType {
  if (step.kind === 'execution' && step.execution.result === 'fired') return IconBolt
  if (step.kind === 'action' && step.action.mails) return IconMail
  return icons[step.kind]
}

/** What went wrong catches the eye. */
function toneOf(step: TraceStep): 'error' | 'quiet' | undefined {
  if (step.kind === 'letter') return step.reason === null ? 'quiet' : 'error'
  if (step.kind === 'decode' && step.error) return 'error'
  if (step.kind === 'execution' && step.execution.result === 'error') return 'error'
  if (step.kind === 'action' && !step.action.ok) return 'error'
  const isQuiet = ['unrecorded', 'hidden', 'more', 'lost'].includes(step.kind)
  return isQuiet || (step.kind === 'value' && !step.isStored) ? 'quiet' : undefined
}

/** Where the thing can be seen. */
function linkOf(step: TraceStep): string | null {
  switch (step.kind) {
    case 'letter':
      return `/connectors/edit/${step.connector.accountId}/${step.connector.id}?tab=dead`
    case 'packet':
      return `${thingPath('virtualDevice', step.deviceId)}?tab=packets`
    case 'decode':
      return step.driver && `/virtual-device-drivers/${step.driver.id}`
    case 'value':
      return `${thingPath(step.twinCategory, step.twinId)}?tab=states&values=${step.stateId}`
    case 'unrecorded':
      return `${thingPath(step.twinCategory, step.twinId)}?tab=rules&history=${step.ruleId}`
    case 'alarm':
      return `${thingPath(step.twinCategory, step.twinId)}?tab=rules`
    case 'action':
      return step.action.mails && step.mayReadMails ? '/system-logs?tab=mails' : null
    default:
      return null
  }
}

/** More about a step, behind a button. */
function Details({ step }: { step: TraceStep }) {
  const { t } = useTranslation()
  const [isOpen, setOpen] = useState(false)
  const label = { packet: 'trace.raw', decode: 'trace.values', execution: 'trace.why' }[step.kind as 'packet']
  if (label === undefined || (step.kind === 'decode' && step.variables.length === 0)) return null
  return (
    <>
      <Button
        variant="subtle"
        size="compact-xs"
        className={classes.open ?? ''}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {t(label)}
      </Button>
      <Collapse expanded={isOpen}>
        {isOpen ? (
          <div className={classes.details}>
            <Suspense fallback={<Loading lines={3} />}>
              <More step={step} />
            </Suspense>
          </div>
        ) : null}
      </Collapse>
    </>
  )
}

function More({ step }: { step: TraceStep }) {
  if (step.kind === 'execution') return <WhyExecution execution={step.execution} />
  if (step.kind === 'packet')
    return (
      <code className={classes.payload}>
        {step.payload}
        {step.payload.length < step.length ? ' …' : ''}
      </code>
    )
  if (step.kind !== 'decode') return null
  return (
    <dl className={classes.variables}>
      {step.variables.map(({ key, value }) => (
        <div key={key}>
          <dt>{key}</dt>
          <dd>{formatValue(value)}</dd>
        </div>
      ))}
    </dl>
  )
}
