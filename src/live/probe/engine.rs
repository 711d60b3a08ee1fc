//! One engine for all probes. It opens conversations, asks a protocol's [`Questions`], passes received messages to
//! their reading, and measures round trips. It always leaves the server in an orderly way: done, refused, pending,
//! interrupted or out of time.

use super::session::{Opening, Session};
use super::{Ask, Carrier, Event, Failure, Findings, Method, Outcome, Probe, Request};
use crate::live::NetError;
use crate::message::OwnedMessage;
use serde_json::Value as Json;
use std::time::{Duration, Instant};

/// The pause between two checks of several conversations.
const LOOK: Duration = Duration::from_micros(300);
/// The longest wait for an echo of the goodbye.
const RETURN: Duration = Duration::from_millis(250);

/// The meaning of a message that was read whole.
#[derive(Debug)]
pub enum Meaning {
    /// It answers the question.
    Answer,
    /// It answers an earlier question again.
    Again,
    /// It has data that the question needs: the question is sent again, with these fields.
    AskAgain(Json),
    /// It belongs to the conversation, but answers nothing.
    Session,
    /// A server of the protocol does not send it at this point.
    Stray,
    /// The server refuses, or ends the conversation.
    Refused(Failure),
}

/// The meaning of a message, or the reason why the probe ends with it.
pub(crate) type Read = Result<Meaning, Failure>;

/// A message for a round trip: the protocol's, or its carrier's.
#[derive(Clone, Debug)]
pub struct Question {
    /// The carrier's protocol; `None`: the protocol's own message.
    pub proto: Option<&'static str>,
    /// The message.
    pub message: &'static str,
    /// Its fields.
    pub fields: Json,
}

impl Question {
    /// Creates a question with a message of the protocol.
    pub fn new(message: &'static str, fields: Json) -> Question {
        Question { proto: None, message, fields }
    }
}

/// A series of round trips.
#[derive(Clone, Copy, Debug)]
pub struct Series {
    /// Its name in the output.
    pub method: &'static str,
    /// The number of round trips that are counted.
    pub count: u32,
    /// The number of round trips before these, which are not counted.
    pub warm_up: u32,
    /// The most questions before the first answer. Without any answer, none of them is counted. 0: all are asked and
    /// counted, with or without answers.
    pub patience: u32,
    /// The longest wait for an answer.
    pub wait: Duration,
    /// The time from one question to the next.
    pub pause: Duration,
    /// The longest silence in a pause, for a server that drops clients that are silent for longer. Questions that break
    /// it are not counted.
    pub silence: Duration,
}

impl Series {
    /// Creates the series that the user asks for. Each round trip is counted.
    pub fn of(ask: &Ask<'_>, method: &'static str) -> Series {
        let (wait, pause) = (ask.answer_wait(), ask.request.interval);
        Series { method, count: ask.request.samples, warm_up: 0, patience: 0, wait, pause, silence: Duration::MAX }
    }

    /// Adapts the series to an application that may answer nothing: it ends after this many questions without an
    /// answer.
    #[must_use]
    pub fn at_most(self, unanswered: u32) -> Series {
        Series { patience: unanswered.min(self.count + self.warm_up), ..self }
    }
}

/// The result of a series.
#[derive(Clone, Copy, Debug, Default)]
pub struct Trips {
    /// The number of questions that were answered, including those before the counted ones.
    pub answered: u32,
    /// The round trip that was not counted.
    pub warm_up: Option<Duration>,
}

/// A protocol's questions to a server in one of its methods, and the reading of the answers.
pub trait Questions {
    /// Asks the questions, in their order. The engine leaves afterwards, whatever the result.
    ///
    /// # Errors
    /// Returns the reason why there is no answer, or no useful one.
    fn ask(&mut self, engine: &mut Engine<'_, '_>) -> Result<(), Failure>;

    /// Returns the question for the round trip of that number, from 0.
    fn question(&mut self, number: u32) -> Question;

    /// Returns the meaning of a message. `number` is that of the question that waits for its answer.
    ///
    /// # Errors
    /// The message ends the probe, and does not belong to the conversation.
    fn read(&mut self, received: &OwnedMessage, number: Option<u32>, engine: &mut Engine<'_, '_>) -> Read;

    /// Takes the time of a round trip, or `None` if its answer is lost.
    fn sampled(&mut self, _took: Option<Duration>) {}

    /// Whether a server of the protocol may send this very message of ours as its first.
    fn repeats(&self, _received: &OwnedMessage) -> bool {
        false
    }

    /// Does everything that must happen before the goodbyes.
    ///
    /// # Errors
    /// Returns the error of asking, with additions from leaving.
    fn leave(&mut self, _engine: &mut Engine<'_, '_>, result: Result<(), Failure>) -> Result<(), Failure> {
        result
    }
}

/// The conversations of a probe, and its findings.
pub struct Engine<'a, 'e> {
    /// The user's request to this server.
    pub ask: &'e Ask<'a>,
    /// The findings about the server.
    pub findings: Findings<'e>,
    /// The conversations, in the order in which they were opened.
    pub sessions: Vec<Session<'a>>,
    /// The index of the current conversation: the one that was opened last, or that received last.
    at: usize,
}

/// Asks a server by one method. Returns the findings, and the failure, if there was one.
pub fn run<'a, 'e>(
    probe: &dyn Probe,
    method: &Method,
    ask: &'e Ask<'a>,
    emit: &'e dyn Fn(Event),
) -> (Findings<'e>, Result<(), Failure>) {
    let mut engine = Engine { ask, findings: Findings::new(emit), sessions: Vec::new(), at: 0 };
    let mut questions = probe.questions(method);
    let result = questions.ask(&mut engine);
    let result = questions.leave(&mut engine, result);
    engine.sessions.iter_mut().for_each(Session::leave);
    let pending = result.as_ref().is_err_and(|failure| failure.outcome == Outcome::Pending);
    let result = match pending && engine.sessions.iter_mut().any(|session| session.returns(RETURN)) {
        true => Err(super::verdict::echo(ask)),
        false => result,
    };
    (engine.findings, result)
}

impl<'a> Engine<'a, '_> {
    /// Opens a conversation over `carrier`. Its messages are written in `version`.
    ///
    /// # Errors
    /// Returns the reason why there is none.
    pub fn open(&mut self, carrier: Carrier, version: Option<&'static str>) -> Result<&mut Session<'a>, Failure> {
        let Request { options, data, .. } = self.ask.request;
        self.open_as(&Opening { carrier, version, options, data: data.as_ref(), stop: &self.ask.stop })
    }

    /// As [`Engine::open`], with other settings, data, or time.
    ///
    /// # Errors
    /// Returns the reason why there is none.
    pub(crate) fn open_as(&mut self, opening: &Opening<'_>) -> Result<&mut Session<'a>, Failure> {
        self.sessions.push(Session::open(self.ask, opening)?);
        self.at = self.sessions.len() - 1;
        self.session()
    }

    /// Returns the current conversation: the one that was opened last, or that received last.
    ///
    /// # Errors
    /// No conversation was opened.
    pub fn session(&mut self) -> Result<&mut Session<'a>, Failure> {
        let advice = "this is a bug in netkit: please report it";
        let none = || Failure::new(Outcome::Failed, "no conversation is open", advice);
        self.sessions.get_mut(self.at).ok_or_else(none)
    }

    /// Continues with the current conversation alone, because nobody answers in the others.
    pub fn keep(&mut self) {
        if self.at < self.sessions.len() {
            self.sessions.swap(0, self.at);
            self.sessions.truncate(1);
            self.at = 0;
        }
    }

    /// Leaves all conversations, so that others can be opened.
    pub fn part(&mut self) {
        self.sessions.iter_mut().for_each(Session::leave);
        self.sessions.clear();
    }

    /// Asks a question, and waits for the answer. Returns it with its response time, or `None` if none arrived.
    ///
    /// # Errors
    /// Returns the errors of the conversation and the reading.
    pub fn question(
        &mut self,
        questions: &mut dyn Questions,
        number: u32,
        wait: Duration,
    ) -> Result<Option<(OwnedMessage, Duration)>, Failure> {
        let mut question = questions.question(number);
        loop {
            let proto = question.proto.unwrap_or(self.ask.dissector.name());
            let sent = self.session()?.send(proto, question.message, &question.fields)?;
            match self.wait_for(questions, Some(number), sent + wait)? {
                Some((Meaning::AskAgain(fields), _)) => question.fields = fields,
                Some((_, received)) => {
                    let took = received.since(sent);
                    return Ok(Some((received, took)));
                }
                None => return Ok(None),
            }
        }
    }

    /// Waits until `until` for an answer in any of the conversations.
    ///
    /// # Errors
    /// Returns the errors of the conversations and the reading.
    pub fn wait(
        &mut self,
        questions: &mut dyn Questions,
        number: Option<u32>,
        until: Instant,
    ) -> Result<Option<OwnedMessage>, Failure> {
        Ok(self.wait_for(questions, number, until)?.map(|(_, received)| received))
    }

    fn wait_for(
        &mut self,
        questions: &mut dyn Questions,
        number: Option<u32>,
        until: Instant,
    ) -> Result<Option<(Meaning, OwnedMessage)>, Failure> {
        while let Some(received) = self.next(until)? {
            if let (reading @ (Meaning::Answer | Meaning::AskAgain(_)), Some(received)) =
                self.handle(questions, received, number)?
            {
                return Ok(Some((reading, received)));
            }
        }
        Ok(None)
    }

    /// Handles all messages that arrive before `until`.
    ///
    /// # Errors
    /// Returns the errors of the conversations and the reading.
    pub fn listen(&mut self, questions: &mut dyn Questions, until: Instant) -> Result<(), Failure> {
        while let Some(received) = self.next(until)? {
            self.handle(questions, received, None)?;
        }
        Ok(())
    }

    /// Reads a message. The protocol's actor answers and remembers those of the conversation.
    fn handle(
        &mut self,
        questions: &mut dyn Questions,
        received: OwnedMessage,
        number: Option<u32>,
    ) -> Result<(Meaning, Option<OwnedMessage>), Failure> {
        if !questions.repeats(&received) && self.session()?.echoes() {
            return Err(super::verdict::echo(self.ask));
        }
        let reading = match received.fault {
            None => questions.read(&received, number, self)?,
            Some(_) => Meaning::Stray,
        };
        if let Meaning::Stray = reading {
            self.session()?.unexpected.put(received);
            return Ok((reading, None));
        }
        self.session()?.accept(&received)?;
        match reading {
            Meaning::Refused(failure) => return Err(failure),
            Meaning::Again => self.findings.duplicates += 1,
            _ => {}
        }
        Ok((reading, Some(received)))
    }

    /// Returns the next message of any conversation.
    fn next(&mut self, until: Instant) -> Result<Option<OwnedMessage>, Failure> {
        let mut open = (0..self.sessions.len()).filter(|at| self.sessions.get(*at).is_some_and(|s| !s.gone));
        if let (only, None) = (open.next(), open.next()) {
            self.at = only.unwrap_or(self.at);
            let received = self.session()?.recv(until);
            return received.map_err(|failure| self.at_end(failure));
        }
        loop {
            // Checked before each message: a peer may send without end.
            let late = Instant::now() >= until;
            // The end of the conversation in which the server was found ends the probe. Others have a wrong form.
            let found = self.findings.found.is_some().then_some(self.at);
            for (at, session) in self.sessions.iter_mut().enumerate().filter(|(_, session)| !session.gone) {
                if late && !session.is_open(until) {
                    continue;
                }
                match session.poll() {
                    Err(failure) if failure.outcome != Outcome::Closed || found == Some(at) => return Err(failure),
                    Ok(Some(received)) => {
                        self.at = at;
                        return Ok(Some(received));
                    }
                    _ => {}
                }
            }
            if let Some(first) = self.sessions.first().filter(|_| self.sessions.iter().all(|session| session.gone)) {
                let failure = Failure::from_net_error(NetError::Closed { reset: false }, first.carrier);
                return Err(self.at_end(failure));
            }
            if late {
                return Ok(None);
            }
            std::thread::sleep(LOOK);
        }
    }

    /// Measures round trips in the current conversation.
    ///
    /// # Errors
    /// Returns the errors of the conversation and the reading, and the request to stop.
    pub fn series(&mut self, questions: &mut dyn Questions, series: &Series) -> Result<Trips, Failure> {
        let (mut trips, mut held, mut sent) = (Trips::default(), 0, Instant::now());
        for number in 0.. {
            let unheard = series.patience > 0 && trips.answered == 0;
            // A session that had to be left during the series is not asked any more.
            if number >= if unheard { series.patience } else { series.count + series.warm_up } || self.session()?.gone {
                break;
            }
            if number > 0 {
                let next = sent + series.pause;
                while next.saturating_duration_since(Instant::now()) > series.silence {
                    self.listen(questions, Instant::now() + series.silence)?;
                    // A number that no question near it has.
                    let took = self.question(questions, number + 128, series.wait)?.map(|(_, took)| took);
                    questions.sampled(took);
                }
                self.listen(questions, next)?;
                self.ask.stop.check().map_err(|error| Failure::from_net_error(error, Carrier::Udp))?;
            }
            sent = Instant::now();
            let took = self.question(questions, number, series.wait)?.map(|(_, took)| took);
            questions.sampled(took);
            trips.answered += u32::from(took.is_some());
            match took {
                _ if number < series.warm_up => trips.warm_up = took,
                None if unheard => held += 1,
                took => {
                    // The questions before this answer were lost: somebody is there.
                    (0..std::mem::take(&mut held)).for_each(|_| self.findings.sample(series.method, None));
                    self.findings.sample(series.method, took);
                }
            }
        }
        Ok(trips)
    }

    /// Returns the verdict if no answer to `sent` arrived after the carrier's own: the first bytes are the carrier's.
    pub fn silent_on_carrier(&self, sent: &str, advice: &str) -> Failure {
        let verdict = |session: &Session<'_>| session.unexpected.verdict(self.ask, session.carrier, &[], sent, advice);
        self.sessions.get(self.at).map_or_else(Failure::interrupted, verdict)
    }

    /// Returns the verdict if no answer to `sent` arrived.
    pub fn silent(&self, sent: &str, advice: &str) -> Failure {
        let received = self.sessions.iter().find(|session| !session.raw().is_empty()).or(self.sessions.first());
        received.map_or_else(Failure::interrupted, |session| session.verdict(self.ask, sent, advice))
    }

    /// Handles a closed connection. As long as the server is not known, the data received before may say more.
    fn at_end(&self, failure: Failure) -> Failure {
        if !failure.is_ended() || self.findings.found.is_some() || !self.sessions.iter().any(Session::has_data) {
            return failure;
        }
        let verdict = self.silent("", "");
        if verdict.outcome == Outcome::Silent { failure } else { verdict }
    }
}
