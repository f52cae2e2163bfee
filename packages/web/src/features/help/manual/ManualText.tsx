import { Box } from '@mantine/core'
import { type ReactNode, useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import Markdown, { type Components } from 'react-markdown'
import { currentLanguage } from '../../../lib/i18n.ts'
import classes from './manual.module.css'
import { pictureOf } from './pages.ts'
import { idOf, withNames } from './text.ts'

interface ManualTextProps {
  markdown: string
  /** id of the section to scroll to */
  section?: string | undefined
  /** the page's title is shown elsewhere, and headings are one level lower */
  isPart?: boolean
}

const textOf = (children: ReactNode): string =>
  Array.isArray(children) ? children.map(textOf).join('') : typeof children === 'string' ? children : ''

/** A page of the manual. */
export function ManualText({ markdown, section, isPart = false }: ManualTextProps) {
  const { t } = useTranslation()
  const root = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (section && markdown)
      root.current?.querySelector(`[id="${CSS.escape(section)}"]`)?.scrollIntoView({ block: 'start' })
  }, [section, markdown])
  const text = withNames(markdown, t)
  const title = text.split('\n', 1)[0]?.replace(/^#\s*/, '') ?? ''
  const components: Components = {
    h1: ({ children }) => (isPart ? null : <h1>{children}</h1>),
    h2: ({ children }) => (
      <h2 id={idOf(textOf(children))} tabIndex={-1}>
        {children}
      </h2>
    ),
    img: ({ src }) => {
      const address = pictureOf(currentLanguage(), String(src))
      return address ? (
        <img src={address} alt={t('manual.picture', { title })} loading="lazy" width={1200} height={750} />
      ) : null
    },
  }
  return (
    <Box ref={root} className={classes.text ?? ''} data-part={isPart || undefined}>
      <Markdown skipHtml components={components} urlTransform={(url) => url}>
        {text}
      </Markdown>
    </Box>
  )
}
