import type { TerminalBlock } from '@leitstand/contract/terminal'
import { Button, Group } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { ErrorText } from '../../ui/feedback/ErrorText.tsx'
import { ScrollBox } from '../../ui/page/ScrollBox.tsx'
import classes from './terminal.module.css'
import { cellText, keyed } from './text.ts'
import type { Entry, Terminal } from './useTerminal.ts'

interface OutputProps {
  entry: Entry
  terminal: Terminal
}

/** A line and what it answered; a preview with its question. */
export function Output({ entry, terminal }: OutputProps) {
  const { t } = useTranslation()
  return (
    <div className={classes.entry}>
      <p className={classes.line}>
        <span aria-hidden="true">❯ </span>
        {entry.line}
        {entry.ms === null ? null : (
          <span className={classes.ms}> {t('terminal.took', { ms: entry.ms })}</span>
        )}
      </p>
      {entry.error === null ? null : <ErrorText error={entry.error} />}
      {keyed(entry.blocks).map(({ key, item }) => (
        <Block key={key} block={item} terminal={terminal} label={entry.line} />
      ))}
      {entry.confirmation === null ? null : (
        <Group gap={8} mt={6}>
          <Button size="compact-sm" disabled={terminal.isRunning} onClick={() => terminal.confirm(entry)}>
            {t('terminal.confirm')}
          </Button>
          <Button size="compact-sm" variant="default" onClick={() => terminal.cancel(entry)}>
            {t('common.cancel')}
          </Button>
        </Group>
      )}
    </div>
  )
}

/** Longer cells are wrapped. */
const longFrom = 60

function Cell({ cell }: { cell: Parameters<typeof cellText>[0] }) {
  const text = cellText(cell)
  return (
    <td data-number={typeof cell === 'number' || undefined} data-long={text.length >= longFrom || undefined}>
      {text}
    </td>
  )
}

function Block({ block, terminal, label }: { block: TerminalBlock; terminal: Terminal; label: string }) {
  const { t } = useTranslation()
  switch (block.kind) {
    case 'message':
      return <p className={classes.message}>{t(`terminal.messages.${block.message}`, block.values)}</p>
    case 'commands':
      return (
        <dl className={classes.help}>
          {terminal.commands.map(({ name, argument }) => (
            <div key={name}>
              <dt>
                {name}
                {argument === null ? '' : ` <${argument}>`}
              </dt>
              <dd>{t(`terminal.commands.${name}`)}</dd>
            </div>
          ))}
        </dl>
      )
    case 'table':
      return (
        <>
          <ScrollBox label={label}>
            <table className={classes.table}>
              <thead>
                <tr>
                  {block.columns.map((column) => (
                    <th key={column} scope="col">
                      {column}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {keyed(block.rows).map(({ key, item: row }) => (
                  <tr key={key}>
                    {keyed(row).map((cell) => (
                      <Cell key={cell.key} cell={cell.item} />
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          </ScrollBox>
          {block.isCut ? <p className={classes.hint}>{t('terminal.isCut')}</p> : null}
        </>
      )
  }
}
