import type { Rule } from '@leitstand/contract/rules'
import { ActionIcon, Button, Menu, Switch, Text, Tooltip, UnstyledButton } from '@mantine/core'
import {
  IconBell,
  IconDots,
  IconHistory,
  IconPencil,
  IconPlayerPlay,
  IconPlus,
  IconTrash,
} from '@tabler/icons-react'
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { onDemand } from '../../lib/onDemand.ts'
import { one, useUrlSearch } from '../../lib/url.ts'
import { FixedMark } from '../../ui/display/FixedMark.tsx'
import { Icon } from '../../ui/display/Icon.tsx'
import { RelativeTime } from '../../ui/display/RelativeTime.tsx'
import { ConfirmDanger } from '../../ui/feedback/ConfirmDanger.tsx'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { notifyError, notifySuccess } from '../../ui/feedback/notify.ts'
import { Section } from '../../ui/page/Section.tsx'
import { toDraft, toRuleInput } from './draft.ts'
import { PausedMark } from './PauseField.tsx'
import { ResultBadge } from './Results.tsx'
import { RuleHistory } from './RuleHistory.tsx'
import classes from './rules.module.css'
import { triggersPhrase } from './triggers/index.ts'
import { metricNames, ruleSentence, triggerWords } from './words.ts'

const RuleEditor = onDemand(() => import('./RuleEditor.tsx'))

/** Maximum rules shown per object; the monitor lists all. */
const rulesShown = 200

/** Reload interval of visible results. */
const refreshMs = 10_000

interface RulesTabProps {
  /** twin or virtual device */
  objectId: number
  accountId: number
  editable: boolean
}

/**
 * Rules of a twin or device: each as a sentence, with its status and last result. `?rule=12` opens a rule,
 * `?rule=new` a new one, `?history=12` its executions.
 */
export default function RulesTab({ objectId, accountId, editable }: RulesTabProps) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const [search, update] = useUrlSearch()
  const [deleting, setDeleting] = useState<Rule | null>(null)
  const list = useQuery({
    ...api.ddr.list.queryOptions({ input: { dtwinId: objectId, limit: rulesShown } }),
    refetchInterval: refreshMs,
    placeholderData: keepPreviousData,
  })
  const rules = list.data?.items as Rule[] | undefined
  const find = (name: string) => rules?.find((rule) => String(rule.id) === one(search, name))
  const asked = find('rule')
  const edited = asked?.fixed ? undefined : asked
  const looked = find('history')
  const create = editable ? (
    <Button leftSection={<Icon of={IconPlus} />} onClick={() => update({ rule: 'new' })}>
      {t('rules.create')}
    </Button>
  ) : null
  const stateId = Number(one(search, 'state'))
  const closeEditor = () => update({ rule: undefined, state: undefined })
  return (
    <>
      {list.isError && !rules ? (
        <ErrorState error={list.error} onRetry={() => void list.refetch()} />
      ) : !rules ? (
        <Loading lines={5} />
      ) : rules.length === 0 ? (
        <Section>
          <EmptyState icon={IconBell} title={t('rules.empty')} text={t('rules.emptyText')} action={create} />
        </Section>
      ) : (
        <Section title={t('rules.heading')} actions={create}>
          <ul className={classes.rules}>
            {rules.map((rule) => (
              <RuleItem
                key={rule.id}
                rule={rule}
                editable={editable}
                onEdit={() => update({ rule: String(rule.id) })}
                onHistory={() => update({ history: String(rule.id) })}
                onDelete={() => setDeleting(rule)}
              />
            ))}
          </ul>
        </Section>
      )}
      {editable && (one(search, 'rule') === 'new' || edited) ? (
        <Suspense>
          <RuleEditor
            key={edited?.id ?? 'new'}
            objectId={objectId}
            accountId={accountId}
            {...(edited ? { rule: edited } : {})}
            {...(stateId > 0 ? { stateId } : {})}
            onClose={closeEditor}
          />
        </Suspense>
      ) : null}
      {looked ? <RuleHistory rule={looked} onClose={() => update({ history: undefined })} /> : null}
      <ConfirmDanger
        opened={deleting !== null}
        onClose={() => setDeleting(null)}
        title={t('rules.deleteTitle', { title: deleting?.title })}
        text={t('rules.deleteText')}
        confirmLabel={t('rules.delete')}
        onConfirm={async () => {
          if (!deleting) return
          await client.ddr.delete({ id: deleting.id })
          notifySuccess(t('rules.deleted', { title: deleting.title }))
          await cache.invalidateQueries({ queryKey: api.ddr.key() })
        }}
      />
    </>
  )
}

/** Switches a rule on or off; the request contains the rule as it was read. */
export function useToggleRule() {
  const { t } = useTranslation()
  const cache = useQueryClient()
  return useMutation({
    mutationFn: (rule: Rule) =>
      client.ddr.update({
        ...toRuleInput(toDraft(rule)),
        id: rule.id,
        version: rule.version,
        conditions: rule.conditions,
        active: !rule.active,
      }),
    onError: (error) => notifyError(error, t('rules.toggleFailed')),
    onSettled: () => cache.invalidateQueries({ queryKey: api.ddr.key() }),
  })
}

/** Whether values are all that wakes a rule, which needs no words. */
function isUsual({ triggers }: Rule): boolean {
  return triggers.every(({ kind }) => kind === 'values')
}

/** Runs a rule by hand. */
function useRunRule() {
  const { t } = useTranslation()
  return useMutation({
    mutationFn: ({ id }: Rule) => client.ddr.run({ id }),
    onSuccess: (_, { title }) => notifySuccess(t('rules.runStarted', { title })),
    onError: (error) => notifyError(error, t('rules.runFailed')),
  })
}

function RuleItem(props: {
  rule: Rule
  editable: boolean
  onEdit: () => void
  onHistory: () => void
  onDelete: () => void
}) {
  const { rule } = props
  const editable = props.editable && !rule.fixed
  const { t } = useTranslation()
  const toggle = useToggleRule()
  const run = useRunRule()
  const shown = toggle.isPending ? !rule.active : rule.active
  return (
    <li className={classes.rule} data-inactive={!shown || undefined}>
      <Tooltip label={t(shown ? 'rules.isActive' : 'rules.isInactive')}>
        <Switch
          aria-label={t('rules.activeOf', { title: rule.title })}
          checked={shown}
          disabled={!editable || toggle.isPending}
          onChange={() => toggle.mutate(rule)}
        />
      </Tooltip>
      <div className={classes.ruleText}>
        <UnstyledButton
          className={classes.ruleTitle ?? ''}
          onClick={editable ? props.onEdit : props.onHistory}
        >
          {rule.title}
        </UnstyledButton>
        {rule.fixed ? <FixedMark /> : null}
        <PausedMark until={rule.pausedUntil} />
        <Text size="sm" c="dimmed">
          {t(isUsual(rule) ? 'rules.ifThen' : 'rules.whenIfThen', {
            triggers: triggersPhrase(rule.triggers, triggerWords(t, metricNames(rule))),
            condition: ruleSentence(t, rule),
            actions: rule.actions.map((action) => t(`rules.kinds.${action.kind}`)).join(', '),
          })}
        </Text>
      </div>
      <div className={classes.ruleState}>
        {rule.lastResult ? <ResultBadge result={rule.lastResult} /> : null}
        <Text size="xs" c="dimmed">
          {rule.lastFiredAt ? (
            <>
              {t('rules.lastFired')} <RelativeTime time={rule.lastFiredAt} />
            </>
          ) : (
            t('rules.neverFired')
          )}
        </Text>
      </div>
      <div className={classes.ruleActions}>
        <Tooltip label={t('rules.history')}>
          <ActionIcon
            size={30}
            aria-label={t('rules.historyOf', { title: rule.title })}
            onClick={props.onHistory}
          >
            <Icon of={IconHistory} />
          </ActionIcon>
        </Tooltip>
        {editable ? (
          <Menu withinPortal>
            <Menu.Target>
              <ActionIcon size={30} aria-label={t('rules.actionsOf', { title: rule.title })}>
                <Icon of={IconDots} />
              </ActionIcon>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Item leftSection={<Icon of={IconPencil} size={16} />} onClick={props.onEdit}>
                {t('common.edit')}
              </Menu.Item>
              {rule.triggers.some(({ kind }) => kind === 'manual') ? (
                <Menu.Item
                  leftSection={<Icon of={IconPlayerPlay} size={16} />}
                  onClick={() => run.mutate(rule)}
                >
                  {t('rules.run')}
                </Menu.Item>
              ) : null}
              <Menu.Item color="red" leftSection={<Icon of={IconTrash} size={16} />} onClick={props.onDelete}>
                {t('rules.delete')}
              </Menu.Item>
            </Menu.Dropdown>
          </Menu>
        ) : null}
      </div>
    </li>
  )
}
