import { Button, Group } from '@mantine/core'
import { IconEdit, IconPlus, IconRefresh, IconTrash } from '@tabler/icons-react'
import { type QueryKey, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Icon, type IconType } from '../display/Icon.tsx'
import { ConfirmDanger } from '../feedback/ConfirmDanger.tsx'
import { EmptyState } from '../feedback/EmptyState.tsx'
import { ListTable } from './ListTable.tsx'
import type { ListColumn, ListParams } from './types.ts'

/** Callbacks of the list's dialogs. */
export interface CredentialDialog<Made> {
  onClose: () => void
  /** A new secret was created, which is only shown once. */
  onMade: (made: Made) => void
}

interface CredentialListProps<Row, Made> {
  name: string
  icon: IconType
  columns: ListColumn<Row>[]
  /** Query options of one page. */
  query: (params: ListParams) => object
  /** invalidated when a dialog closes */
  queryKey: QueryKey
  /** the user may create, change, renew and delete */
  manages: boolean
  texts: {
    create: string
    search: string
    empty: string
    emptyText: string
    rotate: string
    delete: string
    deleteText: (row: Row) => string
  }
  isDimmed?: (row: Row) => boolean
  /** whether the row is changed here; default: all are */
  isEditable?: (row: Row) => boolean
  /** whether the row has a secret to renew; default: all have */
  isRotatable?: (row: Row) => boolean
  remove: (row: Row) => Promise<unknown>
  /** the form; for a new row if null */
  renderForm: (row: Row | null, dialog: CredentialDialog<Made>) => ReactNode
  renderRotate: (row: Row, dialog: CredentialDialog<Made>) => ReactNode
  renderSecret: (made: Made, onClose: () => void) => ReactNode
}

type Open<Row> = { what: 'form'; row: Row | null } | { what: 'rotate' | 'delete'; row: Row } | null

/**
 * A list of credentials of programs: created, changed, renewed and deleted in dialogs; secrets are shown only
 * once.
 */
export function CredentialList<Row extends { id: number }, Made>(props: CredentialListProps<Row, Made>) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const [open, setOpen] = useState<Open<Row>>(null)
  const [made, setMade] = useState<Made | null>(null)
  const { texts, manages, isEditable = () => true, isRotatable = () => true } = props
  const onClose = () => {
    setOpen(null)
    void cache.invalidateQueries({ queryKey: props.queryKey })
  }
  const dialog = {
    onClose,
    onMade: (secret: Made) => {
      setMade(secret)
      onClose()
    },
  }
  const menu = (row: Row) => [
    {
      label: t('common.edit'),
      icon: IconEdit,
      onClick: () => setOpen({ what: 'form', row }),
      hidden: !isEditable(row),
    },
    {
      label: texts.rotate,
      icon: IconRefresh,
      onClick: () => setOpen({ what: 'rotate', row }),
      hidden: !isRotatable(row),
    },
    { label: texts.delete, icon: IconTrash, onClick: () => setOpen({ what: 'delete', row }), danger: true },
  ]
  return (
    <>
      <ListTable<Row>
        name={props.name}
        columns={props.columns}
        query={props.query}
        rowKey={(row) => row.id}
        {...(manages ? { rowMenu: menu } : {})}
        {...(props.isDimmed ? { isDimmed: props.isDimmed } : {})}
        searchPlaceholder={texts.search}
        defaultSort="title"
        header={() =>
          manages ? (
            <Group justify="flex-end" mb="sm">
              <Button
                leftSection={<Icon of={IconPlus} />}
                onClick={() => setOpen({ what: 'form', row: null })}
              >
                {texts.create}
              </Button>
            </Group>
          ) : null
        }
        empty={<EmptyState icon={props.icon} title={texts.empty} text={texts.emptyText} order={3} />}
      />
      {open?.what === 'form' ? props.renderForm(open.row, dialog) : null}
      {open?.what === 'rotate' ? props.renderRotate(open.row, dialog) : null}
      {open?.what === 'delete' ? (
        <ConfirmDanger
          opened
          onClose={onClose}
          title={texts.delete}
          text={texts.deleteText(open.row)}
          confirmLabel={texts.delete}
          onConfirm={() => props.remove(open.row)}
        />
      ) : null}
      {made === null ? null : props.renderSecret(made, () => setMade(null))}
    </>
  )
}
