import type { Rule } from '@leitstand/contract/rules'
import { Button, FileButton, Group } from '@mantine/core'
import { IconBell, IconFileUpload, IconPlus } from '@tabler/icons-react'
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import type { TFunction } from 'i18next'
import { Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { onDemand } from '../../lib/onDemand.ts'
import { one, type UrlSearch, useUrlSearch } from '../../lib/url.ts'
import { Icon } from '../../ui/display/Icon.tsx'
import { ConfirmDanger } from '../../ui/feedback/ConfirmDanger.tsx'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { notifySuccess } from '../../ui/feedback/notify.ts'
import { Section } from '../../ui/page/Section.tsx'
import { type RuleDraft, toDraft } from './draft.ts'
import { useRuleFiles } from './exchange/useRuleFiles.ts'
import { RuleHistory } from './RuleHistory.tsx'
import { RuleItem } from './RuleItem.tsx'
import classes from './rules.module.css'

const RuleEditor = onDemand(() => import('./RuleEditor.tsx'))
const RuleTwins = onDemand(() => import('./RuleTwins.tsx'))
const RuleVersions = onDemand(() => import('./RuleVersions.tsx'))

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
 * Rules of a twin or device: each as a sentence, with its status and last result. `?rule=12` opens a rule, `?rule=new` a new
 * one, with `&copy=12` a copy, `?history=12` its executions, `?versions=12` its versions, `?twins=12` the twins of a rule for
 * many.
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
  const looked = find('history')
  const files = useRuleFiles(objectId)
  const [read, setRead] = useState<RuleDraft | null>(null)
  const create = editable ? (
    <NewRule
      onCreate={() => update({ rule: 'new' })}
      onFile={async (file) => setRead(await files.read(file))}
    />
  ) : null
  const opened = openedIn(search, rules, read, t)
  const versioned = find('versions')
  const spread = find('twins')
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
                objectId={objectId}
                onTwins={() => update({ twins: String(rule.id) })}
                editable={editable}
                onEdit={() => update({ rule: String(rule.id) })}
                onHistory={() => update({ history: String(rule.id) })}
                onVersions={() => update({ versions: String(rule.id) })}
                onCopy={() => update({ rule: 'new', copy: String(rule.id) })}
                onSave={() => void files.save(rule)}
                onDelete={() => setDeleting(rule)}
              />
            ))}
          </ul>
        </Section>
      )}
      {editable && opened ? (
        <Suspense>
          <RuleEditor
            {...opened}
            key={opened.rule?.id ?? (read ? 'read' : 'new')}
            objectId={opened.rule?.dtwinId ?? objectId}
            accountId={accountId}
            onClose={() => {
              setRead(null)
              update({ rule: undefined, copy: undefined, state: undefined })
            }}
          />
        </Suspense>
      ) : null}
      {versioned ? (
        <Suspense>
          <RuleVersions
            rule={versioned}
            onUse={
              editable && !versioned.fixed
                ? (draft) => {
                    setRead(draft)
                    update({ versions: undefined, rule: String(versioned.id) })
                  }
                : undefined
            }
            onClose={() => update({ versions: undefined })}
          />
        </Suspense>
      ) : null}
      {spread?.many ? (
        <Suspense>
          <RuleTwins rule={spread} editable={editable} onClose={() => update({ twins: undefined })} />
        </Suspense>
      ) : null}
      {looked ? (
        <RuleHistory rule={looked} objectId={objectId} onClose={() => update({ history: undefined })} />
      ) : null}
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

/**
 * What the editor opens; null: nothing.
 * @param read a rule from a file, or an earlier version of the rule in the address
 */
function openedIn(
  search: UrlSearch,
  rules: readonly Rule[] | undefined,
  read: RuleDraft | null,
  t: TFunction,
): { rule?: Rule; from?: RuleDraft; stateId?: number } | null {
  const find = (name: string) => rules?.find(({ id }) => String(id) === one(search, name))
  const rule = find('rule')
  if (read) return { from: read, ...(rule ? { rule } : {}) }
  if (one(search, 'rule') !== 'new') return rule === undefined || rule.fixed ? null : { rule }
  if (one(search, 'copy') !== undefined) {
    const copied = find('copy')
    return copied ? { from: { ...toDraft(copied), title: t('rules.copyOf', { title: copied.title }) } } : null
  }
  const stateId = Number(one(search, 'state'))
  return stateId > 0 ? { stateId } : {}
}

function NewRule({ onCreate, onFile }: { onCreate: () => void; onFile: (file: File) => void }) {
  const { t } = useTranslation()
  return (
    <Group gap={10}>
      <FileButton accept="application/json,.json" onChange={(file) => (file ? onFile(file) : undefined)}>
        {(props) => (
          <Button {...props} variant="default" leftSection={<Icon of={IconFileUpload} />}>
            {t('rules.file.read')}
          </Button>
        )}
      </FileButton>
      <Button leftSection={<Icon of={IconPlus} />} onClick={onCreate}>
        {t('rules.create')}
      </Button>
    </Group>
  )
}
