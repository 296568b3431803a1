import { ActionIcon, Menu, UnstyledButton, useMantineColorScheme } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link, NavLink, Outlet, useLocation } from "react-router";
import { api } from "../api/client";
import { useMe } from "../api/queries";
import { leaveForSignIn } from "../router";
import { useLanguage } from "../texts";
import { Icon } from "./icon";

export function Shell() {
  const { texts } = useLanguage();
  const { pathname } = useLocation();
  const isInProjects = pathname === "/" || pathname.startsWith("/projects") || pathname.startsWith("/tasks");
  return (
    <div className="shell">
      <a className="skip" href="#content">
        {texts.app.skip}
      </a>
      <header className="top">
        <NavLink to="/" className="brand" aria-label="Ingather" end>
          <Logo />
          <span>Ingather</span>
        </NavLink>
        <nav className="top-nav" aria-label={texts.app.main}>
          <Link to="/" className={isInProjects ? "active" : ""} aria-current={pathname === "/" ? "page" : isInProjects}>
            {texts.app.projects}
          </Link>
          <NavLink to="/engine">{texts.app.engine}</NavLink>
        </nav>
        <div className="top-end">
          <LanguageMenu />
          <ColourMenu />
          <AccountMenu />
        </div>
      </header>
      <main id="content" className="content" tabIndex={-1}>
        <Outlet />
      </main>
    </div>
  );
}

export function Logo() {
  return (
    <svg width="26" height="26" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="7" fill="var(--accent)" />
      <path d="M8 8l6 6M24 8l-6 6M16 6v8" stroke="#fff" strokeWidth="2.4" strokeLinecap="round" fill="none" />
      <rect x="8" y="17" width="16" height="8" rx="2" fill="#fff" />
    </svg>
  );
}

export function LanguageMenu() {
  const { language, setLanguage, texts } = useLanguage();
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <UnstyledButton className="top-button" aria-label={texts.app.languages}>
          <Icon name="globe" /> <span className="top-label">{texts.language}</span>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => setLanguage("en")} aria-current={language === "en"}>
          English
        </Menu.Item>
        <Menu.Item onClick={() => setLanguage("zh")} aria-current={language === "zh"}>
          中文
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function ColourMenu() {
  const { texts } = useLanguage();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={texts.app.colours}>
          <Icon name={colorScheme === "dark" ? "moon" : "sun"} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => setColorScheme("light")}>{texts.app.light}</Menu.Item>
        <Menu.Item onClick={() => setColorScheme("dark")}>{texts.app.dark}</Menu.Item>
        <Menu.Item onClick={() => setColorScheme("auto")}>{texts.app.system}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function AccountMenu() {
  const { texts } = useLanguage();
  const me = useMe();
  const client = useQueryClient();
  const signOut = useMutation({
    mutationFn: () => api.delete("/api/v1/session"),
    onSettled: () => {
      client.clear();
      leaveForSignIn();
    },
  });
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <UnstyledButton className="top-button" aria-label={me.data?.name ?? "…"}>
          <Icon name="person" /> <span className="account-name top-label">{me.data?.name ?? "…"}</span>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        {me.data?.is_operator && <Menu.Label>{texts.app.operator}</Menu.Label>}
        <Menu.Item onClick={() => signOut.mutate()}>{texts.app.signOut}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
