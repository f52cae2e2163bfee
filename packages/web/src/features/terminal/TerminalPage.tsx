import type { TerminalBlock } from '@leitstand/contract/terminal'
import { Button, Group, Text, Title } from '@mantine/core'
import { IconDownload, IconEraser } from '@tabler/icons-react'
import type { TFunction } from 'i18next'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { describeError } from '../../lib/errors.ts'
import { CopyButton } from '../../ui/display/CopyButton.tsx'
import { Icon } from '../../ui/display/Icon.tsx'
import { download } from '../../ui/list/csv.ts'
import { Output } from './Output.tsx'
import { Prompt } from './Prompt.tsx'
import classes from './terminal.module.css'
import { tableText } from './text.ts'
import { type Entry, type Terminal, useTerminal } from './useTerminal.ts'

/** A console for system administrators: known commands only, each of them in the activity log. */
export default function TerminalPage() {
  const { t } = useTranslation()
  const terminal = useTerminal()
  const end = useRef<HTMLDivElement>(null)
  const { length } = terminal.entries
  useEffect(() => {
    if (length > 0) end.current?.scrollIntoView({ block: 'nearest' })
  }, [length])
  const text = terminal.entries.map((entry) => entryText(t, entry, terminal)).join('\n\n')
  return (
    <>
      <Group justify="space-between" mb="md" gap="sm">
        <div>
          <Title order={1}>{t('screens.terminal.title')}</Title>
          <Text size="sm" c="dimmed">
            {t('terminal.description')}
          </Text>
        </div>
        <Group gap={6}>
          <CopyButton value={text} label={t('terminal.copy')} size={36} />
          <Button
            variant="default"
            leftSection={<Icon of={IconDownload} />}
            disabled={length === 0}
            onClick={() => download('terminal.txt', text, 'text/plain;charset=utf-8')}
          >
            {t('terminal.save')}
          </Button>
          <Button
            variant="default"
            leftSection={<Icon of={IconEraser} />}
            disabled={length === 0}
            onClick={terminal.clear}
          >
            {t('terminal.clear')}
          </Button>
        </Group>
      </Group>
      <section className={classes.terminal} aria-label={t('screens.terminal.title')}>
        <div role="log" aria-label={t('terminal.output')} className={classes.log}>
          {length === 0 ? <p className={classes.hint}>{t('terminal.hint')}</p> : null}
          {terminal.entries.map((entry) => (
            <Output key={entry.id} entry={entry} terminal={terminal} />
          ))}
          <div ref={end} />
        </div>
        <Prompt terminal={terminal} />
      </section>
    </>
  )
}

/** What a command answered, or why it failed, as text. */
function entryText(t: TFunction, { line, blocks, error }: Entry, { commands }: Terminal): string {
  const textOf = (block: TerminalBlock): string => {
    if (block.kind === 'table') return tableText(block.columns, block.rows)
    if (block.kind === 'message') return t(`terminal.messages.${block.message}`, block.values)
    return commands.map(({ name }) => `${name}: ${t(`terminal.commands.${name}`)}`).join('\n')
  }
  const failure = error === null ? [] : [describeError(error).text]
  return [`> ${line}`, ...failure, ...blocks.map(textOf)].join('\n')
}
