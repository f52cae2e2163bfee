import { Button, Group, List, Modal, Stack, Text, TextInput } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Icon } from '../display/Icon.tsx'
import { RouterLink } from '../page/RouterLink.tsx'
import { ErrorText } from './ErrorText.tsx'
import { Loading } from './Loading.tsx'
import { useOnTop } from './onTop.ts'

interface ConfirmDialogProps {
  opened: boolean
  title: string
  text?: ReactNode
  children?: ReactNode
  confirmLabel: string
  cancelLabel?: string
  onConfirm: () => void
  onCancel: () => void
  busy?: boolean
  disabled?: boolean
  danger?: boolean
}

/** A question with two answers. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { t } = useTranslation()
  useOnTop(props.opened)
  return (
    <Modal opened={props.opened} onClose={props.onCancel} title={props.title} centered>
      <Stack gap="md">
        {props.text ? <Text size="sm">{props.text}</Text> : null}
        {props.children}
        <Group justify="flex-end" gap={8}>
          <Button variant="default" onClick={props.onCancel} data-autofocus>
            {props.cancelLabel ?? t('common.cancel')}
          </Button>
          <Button
            onClick={props.onConfirm}
            loading={props.busy ?? false}
            disabled={props.disabled ?? false}
            {...(props.danger ? { color: 'red' } : {})}
          >
            {props.confirmLabel}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}

/** Dependencies of an object, as the API's dependency operations return them. */
export interface DependencyReply {
  blocking: boolean
  items: readonly {
    kind: string
    id: number
    title: string
    blocking: boolean
    owner?: { kind: string; id: number } | null
  }[]
  more: boolean
}

interface ConfirmDangerProps {
  opened: boolean
  onClose: () => void
  title: string
  /** What will happen, as a sentence. */
  text: ReactNode
  /** The verb on the button: "Gerät löschen". */
  confirmLabel: string
  /** Must be typed to enable the button: the name or the count, where the specification requires it. */
  typeToConfirm?: string
  /** Reads the object's dependencies; blocking ones keep the button disabled. */
  dependencies?: { key: readonly unknown[]; load: () => Promise<DependencyReply> }
  onConfirm: () => Promise<unknown>
  /** Options, shown before the word to type. */
  children?: ReactNode
}

const dependencyPaths: Record<string, string> = {
  twin: '/digitaltwin-mgmt',
  virtualDevice: '/virtual-devices',
  dashboard: '/dashboards',
}

const accountTabs: Record<string, string> = { scopeKey: 'keys', scopeSignOn: 'sso' }

function pathInAccount({ kind, id }: { kind: string; id: number }, accountId: number): string | null {
  if (kind === 'scopeUser') return `/account-mgmt/user/${accountId}/${id}`
  const tab = accountTabs[kind]
  return tab ? `/account-mgmt/${accountId}?tab=${tab}` : null
}

/** The page of a dependency: its own, or that of its twin or device, or a tab of its account. */
export function dependencyPath(item: DependencyReply['items'][number]): string | null {
  if (item.owner?.kind === 'account') return pathInAccount(item, item.owner.id)
  const place = item.owner ?? item
  const path = dependencyPaths[place.kind]
  return path ? `${path}/${place.id}` : null
}

/**
 * Confirms a dangerous action: shows what else is affected, asks to type a word if required, stays open on
 * failure.
 */
export function ConfirmDanger(props: ConfirmDangerProps) {
  const { t } = useTranslation()
  const { opened, dependencies, typeToConfirm } = props
  const [typed, setTyped] = useState('')
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<unknown>(undefined)
  const found = useQuery({
    queryKey: ['dependencies', ...(dependencies?.key ?? [])],
    queryFn: () => dependencies?.load() ?? { blocking: false, items: [], more: false },
    enabled: opened && dependencies !== undefined,
    staleTime: 0,
  })
  const close = () => {
    setTyped('')
    setFailure(undefined)
    props.onClose()
  }
  const run = async () => {
    setBusy(true)
    setFailure(undefined)
    try {
      await props.onConfirm()
      close()
    } catch (error) {
      setFailure(error)
    } finally {
      setBusy(false)
    }
  }
  const waiting = dependencies !== undefined && !found.data
  const blocked = found.data?.blocking === true
  return (
    <ConfirmDialog
      opened={opened}
      title={props.title}
      text={props.text}
      confirmLabel={props.confirmLabel}
      onCancel={close}
      onConfirm={() => void run()}
      busy={busy}
      disabled={waiting || blocked || (typeToConfirm !== undefined && typed.trim() !== typeToConfirm)}
      danger
    >
      {dependencies && found.isPending ? <Loading lines={2} /> : null}
      {found.isError ? <ErrorText error={found.error} /> : null}
      {found.data && found.data.items.length > 0 ? <DependencyList reply={found.data} /> : null}
      {/* Not before what stands above them: they would move from under the pointer. */}
      {blocked || waiting ? null : props.children}
      {typeToConfirm !== undefined && !blocked ? (
        <TextInput
          label={t('danger.typeToConfirm', { word: typeToConfirm })}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          autoComplete="off"
          data-autofocus
        />
      ) : null}
      {failure === undefined ? null : <ErrorText error={failure} />}
    </ConfirmDialog>
  )
}

function DependencyList({ reply }: { reply: DependencyReply }) {
  const { t } = useTranslation()
  return (
    <Stack gap={6}>
      <Group gap={6} wrap="nowrap" c={reply.blocking ? 'var(--health-error)' : 'var(--health-warning)'}>
        <Icon of={IconAlertTriangle} />
        <Text size="sm" fw={550}>
          {t(reply.blocking ? 'danger.blocked' : 'danger.affected')}
        </Text>
      </Group>
      <DependencyItems reply={reply} />
    </Stack>
  )
}

/** The first dependencies of an object, with links. */
export function DependencyItems({ reply }: { reply: Pick<DependencyReply, 'items' | 'more'> }) {
  const { t } = useTranslation()
  return (
    <>
      <List size="sm" spacing={6}>
        {reply.items.slice(0, 20).map((item) => {
          const path = dependencyPath(item)
          return (
            <List.Item key={`${item.kind}-${item.id}`}>
              {t(`danger.kinds.${item.kind}`)}:{' '}
              {path ? (
                <RouterLink to={path} underline="always">
                  {item.title}
                </RouterLink>
              ) : (
                item.title
              )}
            </List.Item>
          )
        })}
      </List>
      {reply.more || reply.items.length > 20 ? (
        <Text size="sm" c="dimmed">
          {t('danger.more')}
        </Text>
      ) : null}
    </>
  )
}
