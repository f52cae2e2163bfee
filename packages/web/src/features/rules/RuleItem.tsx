import type { Rule } from '@leitstand/contract/rules'
import { ActionIcon, Button, Menu, Switch, Text, Tooltip, UnstyledButton } from '@mantine/core'
import {
  IconCopy,
  IconDots,
  IconDownload,
  IconHistory,
  IconPencil,
  IconPlayerPlay,
  IconTrash,
  IconUsersGroup,
  IconVersions,
} from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { client } from '../../lib/api.ts'
import { FixedMark } from '../../ui/display/FixedMark.tsx'
import { Icon } from '../../ui/display/Icon.tsx'
import { RelativeTime } from '../../ui/display/RelativeTime.tsx'
import { notifyError, notifySuccess } from '../../ui/feedback/notify.ts'
import { RouterLink } from '../../ui/page/RouterLink.tsx'
import { HomeLink } from './HomeLink.tsx'
import { homeOf } from './home.ts'
import { PausedMark } from './PauseField.tsx'
import { ResultBadge } from './Results.tsx'
import classes from './rules.module.css'
import { ruleSummary, twinsOfMany } from './summary.ts'
import { twinsOfTriggers } from './triggers/index.ts'
import { useExceptTwin } from './useExceptTwin.ts'
import { useToggleRule } from './useToggleRule.ts'
import { useTwinNames } from './useTwinNames.ts'

/** Runs a rule by hand. */
function useRunRule(objectId: number) {
  const { t } = useTranslation()
  return useMutation({
    // A rule of a template runs on one of its devices.
    mutationFn: ({ id, dtwinId }: Rule) =>
      client.ddr.run({ id, ...(dtwinId === null ? { dtwinId: objectId } : {}) }),
    onSuccess: (_, { title }) => notifySuccess(t('rules.runStarted', { title })),
    onError: (error) => notifyError(error, t('rules.runFailed')),
  })
}

/** A rule of a list: as a sentence, with its switch, its last result and what can be done with it. */
export function RuleItem(props: {
  rule: Rule
  /** the twin or device whose page it is */
  objectId: number
  editable: boolean
  onTwins: () => void
  onEdit: () => void
  onHistory: () => void
  onVersions: () => void
  onCopy: () => void
  /** as a file */
  onSave: () => void
  onDelete: () => void
}) {
  const { rule, objectId } = props
  const isExcept = rule.many?.except.includes(objectId) ?? false
  // What concerns all of its twins is changed where the rule is.
  const isElsewhere = rule.dtwinId !== objectId
  const editable = props.editable && !rule.fixed && !isElsewhere
  const isManual = rule.triggers.some(({ kind }) => kind === 'manual')
  const { t } = useTranslation()
  const toggle = useToggleRule()
  const run = useRunRule(objectId)
  const twinName = useTwinNames([...twinsOfTriggers(rule.triggers), ...twinsOfMany(rule.many)])
  const except = useExceptTwin()
  const shown = toggle.isPending ? !rule.active : rule.active
  return (
    <li className={classes.rule} data-inactive={!shown || undefined}>
      <Tooltip label={t(shown ? 'rules.isActive' : 'rules.isInactive')}>
        <Switch
          className={classes.ruleSwitch ?? ''}
          aria-label={t('rules.activeOf', { title: rule.title })}
          checked={shown}
          disabled={!editable || toggle.isPending}
          onChange={() => toggle.mutate(rule)}
        />
      </Tooltip>
      <div className={classes.ruleHead}>
        <UnstyledButton
          className={classes.ruleTitle ?? ''}
          onClick={editable ? props.onEdit : props.onHistory}
        >
          {rule.title}
        </UnstyledButton>
        {rule.fixed ? <FixedMark /> : null}
        {rule.twins ? (
          <Button
            size="compact-xs"
            variant="light"
            leftSection={<Icon of={IconUsersGroup} size={14} />}
            onClick={props.onTwins}
          >
            {t('rules.many.mark', { count: rule.twins.total })}
          </Button>
        ) : null}
        {rule.template ? (
          <Text size="sm">
            <HomeLink rule={rule} />
          </Text>
        ) : isElsewhere ? (
          <RouterLink to={`${homeOf(rule).path}?tab=rules`} size="sm">
            {t('rules.many.from', { twin: rule.twinTitle })}
          </RouterLink>
        ) : null}
        <PausedMark until={rule.pausedUntil} />
      </div>
      <Text size="sm" c="dimmed" className={classes.ruleSentence ?? ''}>
        {ruleSummary(t, rule, twinName)}
      </Text>
      {isElsewhere ? (
        <Switch
          className={classes.ruleExcept ?? ''}
          size="xs"
          label={t('rules.many.here')}
          checked={!isExcept}
          disabled={!props.editable || except.isPending}
          onChange={() => except.mutate({ id: rule.id, dtwinId: objectId, except: !isExcept })}
        />
      ) : null}
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
        {props.editable && rule.template && isManual ? (
          <Tooltip label={t('rules.run')}>
            <ActionIcon
              size={30}
              aria-label={t('rules.runOf', { title: rule.title })}
              onClick={() => run.mutate(rule)}
            >
              <Icon of={IconPlayerPlay} />
            </ActionIcon>
          </Tooltip>
        ) : null}
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
              {isManual ? (
                <Menu.Item
                  leftSection={<Icon of={IconPlayerPlay} size={16} />}
                  onClick={() => run.mutate(rule)}
                >
                  {t('rules.run')}
                </Menu.Item>
              ) : null}
              <Menu.Item leftSection={<Icon of={IconVersions} size={16} />} onClick={props.onVersions}>
                {t('rules.versions.show')}
              </Menu.Item>
              <Menu.Item leftSection={<Icon of={IconCopy} size={16} />} onClick={props.onCopy}>
                {t('rules.copy')}
              </Menu.Item>
              <Menu.Item leftSection={<Icon of={IconDownload} size={16} />} onClick={props.onSave}>
                {t('rules.file.save')}
              </Menu.Item>
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
