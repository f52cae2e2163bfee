import type { Rule } from '@leitstand/contract/rules'
import {
  Button,
  Drawer,
  Group,
  NumberInput,
  SimpleGrid,
  Stack,
  Switch,
  Text,
  TextInput,
  Title,
} from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { describeError } from '../../lib/errors.ts'
import { ConfirmDialog } from '../../ui/ConfirmDanger.tsx'
import { ErrorText } from '../../ui/ErrorText.tsx'
import { useUnsavedGuard } from '../../ui/FormLayout.tsx'
import { notifySuccess } from '../../ui/notify.ts'
import { ActionsEditor } from './ActionsEditor.tsx'
import { ConditionBuilder } from './ConditionBuilder.tsx'
import { renameAlias, sentence } from './conditions.ts'
import { draftFaults, type Fault, newRule, type RuleDraft, toDraft, toRuleInput } from './draft.ts'
import { MetricsEditor } from './MetricsEditor.tsx'
import classes from './rules.module.css'
import { Tester } from './Tester.tsx'
import { wordsOf } from './words.ts'

interface RuleEditorProps {
  objectId: number
  /** absent: a new rule */
  rule?: Rule
  onClose: () => void
}

/** Finds the text of the fault at a place of the draft, once the user has tried to save or left the place. */
export type FaultText = (at: string) => string | null

/** Sheet that creates or changes a rule in four steps: metrics, conditions, actions, try it out. */
export function RuleEditor({ objectId, rule, onClose }: RuleEditorProps) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const [draft, setDraft] = useState<RuleDraft>(() => (rule ? toDraft(rule) : newRule()))
  const [initial] = useState(() => JSON.stringify(draft))
  const [tried, setTried] = useState(false)
  const [asking, setAsking] = useState(false)
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<unknown>(undefined)
  const [issues, setIssues] = useState<Fault[]>([])
  const host = useRef<HTMLFormElement>(null)
  const faults = draftFaults(draft)
  const dirty = JSON.stringify(draft) !== initial
  const guard = useUnsavedGuard(dirty && !busy)
  const set = (change: Partial<RuleDraft>) => {
    setIssues([])
    setDraft((before) => ({ ...before, ...change }))
  }

  const faultAt: FaultText = (at) => {
    const fault = [...(tried ? faults : []), ...issues].find((each) => each.at === at)
    return fault ? t(`rules.faults.${fault.key}`, { name: fault.name }) : null
  }
  const save = async () => {
    setTried(true)
    setFailure(undefined)
    if (faults.length > 0) {
      requestAnimationFrame(() =>
        host.current?.querySelector<HTMLElement>('[aria-invalid="true"], [data-fault]')?.focus(),
      )
      return
    }
    setBusy(true)
    try {
      const input = toRuleInput(draft)
      if (rule) await client.ddr.update({ id: rule.id, version: rule.version, ...input })
      else await client.ddr.create({ dtwinId: objectId, ...input })
      notifySuccess(t(rule ? 'rules.saved' : 'rules.created', { title: input.title }))
      await cache.invalidateQueries({ queryKey: api.ddr.key() })
      onClose()
    } catch (error) {
      if (describeError(error).code === 'DDR_DUPLICATE_NAME')
        setIssues([{ at: 'title', key: 'duplicateTitle' }])
      else setFailure(error)
      setBusy(false)
    }
  }
  useHotkeys([['mod+S', () => void save()]], [])
  const close = () => (dirty ? setAsking(true) : onClose())
  const aliases = draft.metrics.map((metric) => metric.alias)
  return (
    <Drawer
      opened
      onClose={close}
      position="right"
      size={780}
      title={rule ? t('rules.editTitle', { title: rule.title }) : t('rules.createTitle')}
    >
      <form
        ref={host}
        noValidate
        onSubmit={(event: FormEvent) => {
          event.preventDefault()
          void save()
        }}
      >
        <Stack gap="lg">
          <SimpleGrid cols={{ base: 1, xs: 2 }}>
            <TextInput
              label={t('rules.title')}
              required
              data-autofocus
              value={draft.title}
              onChange={(event) => set({ title: event.currentTarget.value })}
              error={faultAt('title')}
              maxLength={200}
            />
            <Switch
              mt={28}
              label={t('rules.active')}
              description={t('rules.activeHint')}
              checked={draft.active}
              onChange={(event) => set({ active: event.currentTarget.checked })}
            />
          </SimpleGrid>
          <Step number={1} title={t('rules.steps.metrics')} hint={t('rules.steps.metricsHint')}>
            <MetricsEditor
              objectId={objectId}
              metrics={draft.metrics}
              faultAt={faultAt}
              onChange={(metrics) => set({ metrics })}
              onRename={(metrics, from, to) =>
                set({ metrics, conditions: renameAlias(draft.conditions, from, to) })
              }
            />
          </Step>
          <Step number={2} title={t('rules.steps.conditions')} hint={t('rules.steps.conditionsHint')}>
            <ConditionBuilder
              value={draft.conditions}
              onChange={(conditions) => set({ conditions })}
              aliases={aliases}
            />
            <p className={classes.sentence} aria-live="polite">
              {t('rules.ifSentence', {
                condition: sentence(
                  draft.conditions,
                  wordsOf(
                    t,
                    aliases.map((alias) => ({ alias })),
                  ),
                ),
              })}
            </p>
            <FaultLine text={faultAt('conditions')} />
          </Step>
          <Step number={3} title={t('rules.steps.actions')} hint={t('rules.steps.actionsHint')}>
            <ActionsEditor
              objectId={objectId}
              actions={draft.actions}
              aliases={aliases}
              faultAt={faultAt}
              onChange={(actions) => set({ actions })}
            />
            <FaultLine text={faultAt('actions')} />
            <NumberInput
              mt="sm"
              w={280}
              label={t('rules.throttle')}
              description={t('rules.throttleHint')}
              min={0}
              max={8784}
              decimalSeparator={t('common.decimal')}
              allowedDecimalSeparators={[',', '.']}
              value={draft.throttleHours}
              onChange={(value) => set({ throttleHours: value === '' ? 0 : Number(value) })}
            />
          </Step>
          <Step number={4} title={t('rules.steps.test')} hint={t('rules.steps.testHint')}>
            <Tester draft={draft} ready={!faults.some((fault) => !fault.at.startsWith('action'))} />
          </Step>
          {failure === undefined ? null : <ErrorText error={failure} />}
          {tried && faults.length > 0 ? (
            <Text size="sm" c="var(--health-error)" role="alert">
              {t('rules.incomplete', { count: faults.length })}
            </Text>
          ) : null}
          <div className={classes.foot}>
            <Button variant="default" onClick={close}>
              {t('common.cancel')}
            </Button>
            <Button type="submit" loading={busy}>
              {t(rule ? 'common.save' : 'rules.create')}
            </Button>
          </div>
        </Stack>
      </form>
      {guard}
      {/* Mounted only while it asks: else it would hear the very Escape that opened it. */}
      {asking ? (
        <ConfirmDialog
          opened
          title={t('form.leaveTitle')}
          text={t('form.leaveText')}
          confirmLabel={t('form.leave')}
          cancelLabel={t('form.stay')}
          onCancel={() => setAsking(false)}
          onConfirm={onClose}
        />
      ) : null}
    </Drawer>
  )
}

function Step(props: { number: number; title: string; hint: string; children: ReactNode }) {
  return (
    <section className={classes.step}>
      <Group gap={10} wrap="nowrap" align="flex-start" mb="sm">
        <span className={classes.stepNumber} aria-hidden>
          {props.number}
        </span>
        <div>
          <Title order={3}>{props.title}</Title>
          <Text size="sm" c="dimmed">
            {props.hint}
          </Text>
        </div>
      </Group>
      {props.children}
    </section>
  )
}

function FaultLine({ text }: { text: string | null }) {
  if (text === null) return null
  return (
    <Text size="sm" c="var(--health-error)" role="alert" data-fault tabIndex={-1}>
      {text}
    </Text>
  )
}
