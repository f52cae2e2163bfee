import type { Setup, SetupStep } from '@leitstand/contract/setup'
import { Alert, Button, Group, Progress, Stack, Text, Title } from '@mantine/core'
import { IconCircle, IconCircleCheck, IconCircleMinus, IconConfetti } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { Suspense, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { onDemand } from '../../lib/onDemand.ts'
import { one, useUrlSearch } from '../../lib/url.ts'
import { Icon } from '../../ui/display/Icon.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { notifySuccess } from '../../ui/feedback/notify.ts'
import { RouterLink } from '../../ui/page/RouterLink.tsx'
import { MailTab } from '../accounts/index.ts'
import { BrandPart } from '../settings/index.ts'
import { AccountStep } from './AccountStep.tsx'
import { ConnectorStep } from './ConnectorStep.tsx'
import classes from './setup.module.css'
import { isSettled, nextStep, shownStep } from './steps.ts'
import { useSetup } from './useSetup.ts'

const DemoStep = onDemand(() => import('./DemoStep.tsx'))

/** The guide of the first hour: a list of steps, and the forms of the settings they are about. */
export default function SetupPage() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const { query, change, refresh } = useSetup()
  if (query.isLoadingError) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />
  const setup = query.data
  const putAway = (isPutAway: boolean) =>
    change.mutate(
      { isPutAway },
      {
        onSuccess: () => {
          notifySuccess(t(isPutAway ? 'setup.putAwayNote' : 'setup.offeredNote'))
          if (isPutAway) void navigate({ to: '/home' })
        },
      },
    )
  return (
    <>
      <Group justify="space-between" align="flex-start" mb="md">
        <div>
          <Title order={1} mb={4}>
            {t('screens.setup.title')}
          </Title>
          <Text c="dimmed" size="sm" maw={640}>
            {t('setup.hint')}
          </Text>
        </div>
        {setup ? (
          <Button variant="default" loading={change.isPending} onClick={() => putAway(!setup.isPutAway)}>
            {t(setup.isPutAway ? 'setup.offerAgain' : 'setup.putAway')}
          </Button>
        ) : null}
      </Group>
      {setup ? <Guide setup={setup} change={change} refresh={refresh} /> : <Loading lines={8} />}
    </>
  )
}

interface GuideProps extends Pick<ReturnType<typeof useSetup>, 'change' | 'refresh'> {
  setup: Setup
}

function Guide({ setup, change, refresh }: GuideProps) {
  const { t } = useTranslation()
  const [search, update] = useUrlSearch()
  const { steps } = setup
  // It stays where it is when its step is done.
  const [begun] = useState(() => shownStep(steps, undefined))
  const key = shownStep(steps, one(search, 'step') ?? begun)
  const step = steps.find((each) => each.key === key)
  const next = nextStep(steps, key)
  const done = steps.filter(isSettled).length
  const go = (to: SetupStep) => update({ step: to, made: undefined }, { push: true })
  const skip = (isSkipped: boolean) =>
    change.mutate(
      { skipped: { [key]: isSkipped } },
      { onSuccess: () => (isSkipped && next ? go(next) : undefined) },
    )
  return (
    <div className={classes.layout}>
      <nav aria-label={t('setup.steps')}>
        <Text size="sm" className="tabular">
          {t('setup.progress', { done, total: steps.length })}
        </Text>
        <Progress
          className={classes.progress ?? ''}
          mb="sm"
          value={(done / steps.length) * 100}
          aria-label={t('setup.steps')}
        />
        <ol className={classes.steps}>
          {steps.map((each) => (
            <li key={each.key}>
              <StepLink step={each} isShown={each.key === key} />
            </li>
          ))}
        </ol>
      </nav>
      <section aria-labelledby="setup-step">
        {next === undefined && step && isSettled(step) ? (
          <Alert color="green" icon={<Icon of={IconConfetti} />} title={t('setup.allDone')} mb="md">
            {t('setup.allDoneText')}
          </Alert>
        ) : null}
        <StepHead step={key} />
        <Suspense fallback={<Loading lines={5} />}>
          <StepBody key={key} step={key} setup={setup} refresh={refresh} />
        </Suspense>
        <div className={classes.foot}>
          {step?.isDone ? (
            <span />
          ) : (
            <Button
              variant="default"
              loading={change.isPending}
              onClick={() => skip(!(step?.isSkipped ?? false))}
            >
              {t(step?.isSkipped ? 'setup.notSkipped' : key === 'demo' ? 'setup.keepDemo' : 'setup.skip')}
            </Button>
          )}
          {next ? (
            <Button variant={step && isSettled(step) ? 'filled' : 'default'} onClick={() => go(next)}>
              {t('setup.next', { step: t(`setup.step.${next}.title`) })}
            </Button>
          ) : null}
        </div>
      </section>
    </div>
  )
}

const looks = { done: IconCircleCheck, skipped: IconCircleMinus, open: IconCircle } as const

function StepLink({ step, isShown }: { step: Setup['steps'][number]; isShown: boolean }) {
  const { t } = useTranslation()
  const state = step.isDone ? 'done' : step.isSkipped ? 'skipped' : 'open'
  const isKept = step.key === 'demo' && state === 'skipped'
  return (
    <RouterLink
      to={`/setup?step=${step.key}`}
      underline="never"
      c="inherit"
      className={classes.step ?? ''}
      {...(isShown ? { 'aria-current': 'step' as const } : {})}
    >
      <span className={classes.stepIcon} data-state={state}>
        <Icon of={looks[state]} />
      </span>
      <span className={classes.stepText}>
        <span>{t(`setup.step.${step.key}.title`)}</span>
        <Text span size="xs" c="dimmed">
          {t(isKept ? 'setup.state.kept' : `setup.state.${state}`)}
        </Text>
      </span>
    </RouterLink>
  )
}

/** Gets the focus with every other step, so that it is read out. */
function StepHead({ step }: { step: SetupStep }) {
  const { t } = useTranslation()
  const heading = useRef<HTMLHeadingElement>(null)
  const first = useRef(step)
  useEffect(() => {
    if (first.current === step) return
    first.current = step
    heading.current?.focus()
  }, [step])
  return (
    <Stack gap={4} mb="md">
      <Title order={2} id="setup-step" ref={heading} tabIndex={-1}>
        {t(`setup.step.${step}.title`)}
      </Title>
      <Text size="sm" maw={640}>
        {t(`setup.step.${step}.text`)}
      </Text>
    </Stack>
  )
}

interface StepBodyProps {
  step: SetupStep
  setup: Setup
  refresh: () => Promise<unknown>
}

function StepBody({ step, setup: { accountId }, refresh }: StepBodyProps) {
  switch (step) {
    case 'name':
    case 'legal':
      return <BrandPart accountId={accountId} part={step} onSaved={refresh} />
    case 'mail':
      return <MailTab account={{ id: accountId }} onSaved={refresh} />
    case 'account':
      return <AccountStep accountId={accountId} onMade={refresh} />
    case 'demo':
      return <DemoStep onChanged={refresh} />
    case 'connector':
      return <ConnectorStep />
  }
}
